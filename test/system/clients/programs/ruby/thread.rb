def count(lines)
  lines.sum { |line| Integer(line) }
end

worker = Thread.new { count(%w[4 seven]) }
worker.join
