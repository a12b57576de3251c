<?php
set_exception_handler(function ($e) { fwrite(STDERR, get_class($e) . ': ' . $e->getMessage() . "\n" . $e->getTraceAsString() . "\n"); exit(7); });
function go() { throw new DomainException("bad domain"); }
go();
