require 'logger'
def sync = Integer("x7")
begin
  sync
rescue => e
  Logger.new($stderr).fatal(e)
  exit 3
end
