def count(lines)
  lines.sum { |line| Integer(line) }
end

worker = Thread.new { count(%w[4 seven]) }
begin
  worker.join
rescue ArgumentError
  puts 'the shop stays open'
end
