import type { Socket } from 'node:net';

/** Tells the first byte that a client sends, and leaves it to be read. Nothing is told of a client that goes away before. */
export function peekFirstByte(socket: Socket, onByte: (byte: number) => void): void {
  const look = (): void => {
    const chunk: Buffer | null = socket.read();
    const byte = chunk?.[0];
    if (chunk === null || byte === undefined) return;
    socket.off('readable', look);
    socket.unshift(chunk);
    onByte(byte);
  };
  socket.on('readable', look);
}
