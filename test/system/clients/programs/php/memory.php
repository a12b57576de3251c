<?php
ini_set('memory_limit', '4M');
function fill(array $cart): array {
    while (true) {
        $cart[] = str_repeat('cup', 1000);
    }
}

fill([]);
