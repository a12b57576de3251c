import { Box, render, Text, useInput } from 'ink';
import { createElement, type ReactElement, useState } from 'react';

/** The peer of the terminal: a bare Ink program from `node_modules` that draws so many rows, 1 by default, and moves a mark in them by `j` and `k`. */
const rows = Number(process.argv[2] ?? 1);

function List(): ReactElement {
  const [selected, setSelected] = useState(0);
  useInput((input) => setSelected((now) => now + (input === 'j' ? 1 : input === 'k' ? -1 : 0)));
  const lines = Array.from({ length: rows }, (_, index) =>
    createElement(
      Text,
      { key: index, inverse: index === selected },
      `${index === selected ? '›' : ' '} row ${index} `.padEnd(119, '.'),
    ),
  );
  return createElement(Box, { flexDirection: 'column' }, ...lines);
}

// 60 where Ink's default of 30 draws half of 30 keys per second.
render(createElement(List), { maxFps: 60 });
