const carts = [];
for (;;) carts.push(new Array(1000).fill({ article: 'cup' }).map((item) => ({ ...item })));
