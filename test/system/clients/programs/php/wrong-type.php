<?php
declare(strict_types=1);

function discount(int $percent): int {
    return 100 - $percent;
}

discount('half');
