<?php
set_error_handler(function (int $level, string $text, string $file, int $line): never {
    throw new ErrorException($text, 0, $level, $file, $line);
});

function first(array $items): mixed {
    return $items['first'];
}

first([]);
