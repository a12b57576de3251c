local function work() local t = nil; return t.x end
local ok, e = xpcall(work, debug.traceback)
if not ok then io.stderr:write(e, "\n"); os.exit(3) end
