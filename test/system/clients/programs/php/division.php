<?php
function share(int $total, int $people): int {
    return intdiv($total, $people);
}

share(40, 0);
