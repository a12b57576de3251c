const line = { level: 60, time: Date.now(), name: 'till', msg: 'till 7 cannot be opened' };
process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(1));
