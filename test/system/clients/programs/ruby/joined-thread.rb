def add(lines)
  lines.sum { |line| Integer(line) }
end

worker = Thread.new { add(%w[4 seven]) }
worker.join
