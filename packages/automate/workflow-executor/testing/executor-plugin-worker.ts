import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** An executor plugin that does templates `plugin: {greet: {whom}}`. Its argument is the port to listen at. */
const [port] = process.argv.slice(2);
const run = join(process.env.CONTAINER_ROOT ?? '', '/var/run/argo');
const token = readFileSync(join(run, 'token'), 'utf8');

createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  if (request.headers.authorization !== `Bearer ${token}`) response.writeHead(403).end();
  else if (request.url !== '/api/v1/template.execute') response.writeHead(404).end();
  else {
    const { template } = JSON.parse(Buffer.concat(parts).toString());
    const { greet } = template.plugin;
    const parameters = [{ name: 'greeting', value: `Hello ${greet?.whom}` }];
    response.end(
      JSON.stringify(greet ? { node: { phase: 'Succeeded', message: 'greeted', outputs: { parameters } } } : null),
    );
  }
}).listen(Number(port), '127.0.0.1');
