import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyToClipboard, MAX_OSC52_BASE64, osc52 } from '../../../tui/effects/clipboard.js';
import { locationText, normalizedText, rawText, titleText } from '../../../tui/triage/copy-menu.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { sampleEvent } from '../array-reader.js';

afterAll(removeTemporaryFolders);

const TERMINAL = { TERM: 'xterm-256color' };

function sequenceOf(text: string, env: NodeJS.ProcessEnv): string {
  const made = osc52(text, env);
  if (made.kind === 'none') throw new Error(made.why);
  return made.text;
}

/** Installs a program that saves its standard input; returns an environment in which it is found. */
async function withTool(name: string, script = 'cat > "$OUT"') {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'bin'));
  const program = join(folder, 'bin', name);
  await writeFile(program, `#!/bin/sh\nPATH=/bin:/usr/bin\n${script}\n`);
  await chmod(program, 0o755);
  const out = join(folder, 'out');
  return { out, env: { ...TERMINAL, PATH: join(folder, 'bin'), OUT: out } };
}

describe('OSC 52', () => {
  it('contains a text as base64 of its UTF-8', () => {
    expect(sequenceOf('hä\u001b', TERMINAL)).toBe('\u001b]52;c;aMOkGw==\u0007');
  });

  it('is sent both plain and in passthrough inside tmux', () => {
    expect(sequenceOf('hi', { ...TERMINAL, TMUX: '/tmp/tmux-0/default,1,0' })).toBe(
      '\u001b]52;c;aGk=\u0007\u001bPtmux;\u001b\u001b]52;c;aGk=\u0007\u001b\\',
    );
  });

  it('is sent in chunks inside GNU screen, which joins them', () => {
    const text = 'x'.repeat(3_000);
    const pieces = sequenceOf(text, { ...TERMINAL, STY: '1.pts-0' })
      .split('\u001b\\')
      .slice(0, -1);
    for (const piece of pieces) expect([piece.slice(0, 2), piece.length <= 768]).toEqual(['\u001bP', true]);
    expect(pieces.map((piece) => piece.slice(2)).join('')).toBe(sequenceOf(text, TERMINAL));
  });

  it('is refused for texts that terminals would drop, and for terminals without a clipboard', () => {
    const most = Math.floor(MAX_OSC52_BASE64 / 4) * 3;
    expect(osc52('x'.repeat(most), TERMINAL).kind).toBe('sequence');
    expect(osc52('x'.repeat(most + 1), TERMINAL).kind).toBe('none');
    expect(osc52('ä'.repeat(most / 2 + 1), TERMINAL).kind).toBe('none');
    for (const TERM of ['dumb', 'linux', undefined]) expect(osc52('x', { TERM }).kind).toBe('none');
  });
});

describe('copying', () => {
  it('reports over SSH that the terminal does not confirm', async () => {
    const { env, out } = await withTool('xclip');
    const written: string[] = [];
    const local = { ...env, DISPLAY: ':0', SSH_TTY: '/dev/pts/0' };
    const outcome = await copyToClipboard('hi 👋', local, (sequence) => written.push(sequence));
    expect(written).toEqual([sequenceOf('hi 👋', TERMINAL)]);
    const message = 'copied 4 characters by OSC 52: a terminal that does not know it ignores it';
    expect(outcome).toEqual({ kind: 'osc52', message });
    await expect(stat(out)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('uses a program if the user is at this machine, and also sends OSC 52', async () => {
    const { env, out } = await withTool('wl-copy');
    const written: string[] = [];
    const local = { ...env, WAYLAND_DISPLAY: 'wayland-0' };
    const outcome = await copyToClipboard('a\n', local, (sequence) => written.push(sequence));
    expect(outcome).toEqual({ kind: 'tool', message: 'copied 2 characters with wl-copy' });
    expect(await readFile(out, 'utf8')).toBe('a\n');
    expect(written).toHaveLength(1);
  });

  it('relies on the terminal if a program fails or reads nothing', async () => {
    const { env } = await withTool('xsel', 'exit 1');
    const local = { ...env, DISPLAY: ':0' };
    expect((await copyToClipboard('x'.repeat(1024 * 1024), local, () => undefined)).kind).toBe('none');
    expect((await copyToClipboard('x', local, () => undefined)).kind).toBe('osc52');
  });

  it('says why a text is not on the clipboard', async () => {
    const { env } = await withTool('nothing');
    const written: string[] = [];
    const outcome = await copyToClipboard('x'.repeat(100_000), env, (sequence) => written.push(sequence));
    expect(written).toEqual([]);
    expect(outcome.message).toBe('not on the clipboard: it is too long for the clipboard of a terminal');
    expect((await copyToClipboard('x', env)).message).toContain('no terminal');
    expect((await copyToClipboard('x'.repeat(33 * 1024 * 1024), env)).kind).toBe('none');
  });

  it('runs nothing from a relative folder of PATH', async () => {
    const { env, out } = await withTool('xclip');
    const outcome = await copyToClipboard('x', { ...env, PATH: '.:bin', DISPLAY: ':0' });
    expect(outcome.kind).toBe('none');
    await expect(stat(out)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('copied text', () => {
  const event = sampleEvent(1, 41, { message: '\u001b]52;c;aGk=\u0007\u202e', extra: JSON.parse('{"__proto__":1}') });

  it('is safe to paste into a terminal', () => {
    expect(titleText({ title: 'a\n\u001b[2J\u202e' })).toBe('a␊␛[2J‹U+202E›');
    for (const text of [rawText(event), normalizedText(event)]) expect(text).not.toMatch(/[\u001b\u0007\u202e]/);
  });

  it('is the raw payload on one line, the normalized event with sorted keys, and the address with a line number from 1', () => {
    expect(rawText(event)).not.toContain('\n');
    expect(JSON.parse(rawText(event))).toEqual(event.raw.payload);
    expect(rawText(event)).toContain('"__proto__":1');
    expect(JSON.parse(normalizedText(event))).toEqual(event.normalized);
    expect(locationText(event)).toMatch(/raw\.ndjson:41 \(line counted from zero\)$/);
  });
});
