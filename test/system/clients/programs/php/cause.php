<?php
class OrderFailed extends Exception {}

function price_of(string $article): int {
    return ['cup' => 4][$article] ?? throw new OutOfRangeException("no price for $article");
}

function place(string $article): int {
    try {
        return price_of($article);
    } catch (OutOfRangeException $error) {
        throw new OrderFailed('the order was not placed', 0, $error);
    }
}

place('saucer');
