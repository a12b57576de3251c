require 'logger'

logger = Logger.new($stderr, progname: 'till')
logger.fatal('till 7 cannot be opened, giving up')
exit 3
