<?php
function read_order(string $text): array {
    return json_decode($text, true, 16, JSON_THROW_ON_ERROR);
}

read_order('{"customer": "bo", "items": [1, 2');
