import { Box, render, Text, useInput } from 'ink';
import { createElement, type ReactElement, useState } from 'react';

/** The peer of the terminal: an Ink program that draws rows, default 1, and moves a selection with `j` and `k`. */
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

// The default of 30 frames per second shows only half of 30 keys per second.
render(createElement(List), { maxFps: 60 });
