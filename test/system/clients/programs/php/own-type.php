<?php
namespace Shop;

class OutOfStock extends \RuntimeException {}

function reserve(string $article, int $wanted, array $stock): void {
    if ($wanted > $stock[$article]) {
        throw new OutOfStock("$article: $wanted wanted, {$stock[$article]} left");
    }
}

reserve('teapot', 12, ['teapot' => 3]);
