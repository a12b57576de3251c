import { parseEndpoint } from '../../../config/values/endpoint.js';
import { describeValue } from '../describe-value.js';

describeValue('parseEndpoint', {
  parse: parseEndpoint,
  parsed: [
    ['localhost:4318', { host: 'localhost', port: 4318 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    [':4318', { host: '', port: 4318 }],
    ['[::1]:4318', { host: '::1', port: 4318 }],
    ['[::]:65535', { host: '::', port: 65_535 }],
    ['collector.example.com.:80', { host: 'collector.example.com.', port: 80 }],
    ['my_service:80', { host: 'my_service', port: 80 }],
  ],
  rejected: [
    ['4318', 'localhost:4318'],
    ['localhost', 'localhost:4318'],
    ['::1', '[::1]:4318'],
    ['http://localhost:4318', 'localhost:4318'],
    ['https://localhost:4318/', 'localhost:4318'],
    ['http://localhost/v1', undefined],
    ['', undefined],
    ['localhost:', undefined],
    ['localhost:65536', undefined],
    ['localhost:-1', undefined],
    ['localhost:http', undefined],
    ['[localhost]:80', undefined],
    ['[::1', undefined],
    ['a b:80', undefined],
    ['-a:80', undefined],
    ['a..b:80', undefined],
    [`${'a'.repeat(254)}:80`, undefined],
    [`${'a'.repeat(1000)}:80`, undefined],
  ],
  pieces: ['a', '1', ':', '[', ']', '.', '-', '/', '::', '80'],
  isValid: ({ port }) => port >= 0 && port <= 65_535,
});
