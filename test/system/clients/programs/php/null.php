<?php
class Orders {
    private array $byId = [];
    public function find(string $id): ?object { return $this->byId[$id] ?? null; }
}

function label(Orders $orders): string {
    return $orders->find('A1')->address();
}

label(new Orders());
