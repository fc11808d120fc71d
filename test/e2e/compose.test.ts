import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly ports: readonly string[];
  readonly mem_limit: string;
}

const compose = parse(readFileSync('docker-compose.yml', 'utf8')) as { services: Record<string, Service> };
const services = Object.entries(compose.services);

const mounts = services.flatMap(([service, { volumes }]) =>
  volumes.map((volume) => {
    const [source = '', target = '', mode = ''] = volume.split(':');
    return { service, source, target, mode };
  }),
);

/** `127.0.0.1:${OTLP_HTTP_PORT:-4318}:4318` in its parts. */
const PUBLISHED = /^(?<address>[\d.]+):\$\{(?<variable>\w+):-(?<port>\d+)\}:(?<inside>\d+)$/;

const published = services.flatMap(([service, { ports }]) =>
  ports.map((port) => {
    const parts = PUBLISHED.exec(port)?.groups;
    return { service, address: parts?.['address'], port: parts?.['port'], variable: parts?.['variable'] };
  }),
);

describe('docker-compose.yml', () => {
  it('runs the collector and Jaeger, each at one release and within a memory limit', () => {
    expect(services.map(([name]) => name)).toEqual(['collector', 'jaeger']);
    for (const [, { image, mem_limit }] of services) {
      expect(image).toMatch(/^[\w-]+\/[\w-]+:\d+\.\d+\.\d+$/);
      expect(mem_limit).toMatch(/^\d+m$/);
    }
  });

  it.each(mounts)('$service starts from $source, a file of this repository it cannot change', (mount) => {
    expect(statSync(mount.source).isFile()).toBe(true);
    expect(mount.mode).toBe('ro');
    expect(compose.services[mount.service]?.command).toEqual([`--config=${mount.target}`]);
  });

  it.each(mounts)('sets for $service only variables that $source reads', ({ service, source }) => {
    const read = new Set(
      [...readFileSync(source, 'utf8').matchAll(/\$\{env:(\w+):-[^}]+\}/g)].map((match) => match[1]),
    );
    const set = Object.keys(compose.services[service]?.environment ?? {}).filter(
      // Read by the Go runtime.
      (name) => name !== 'GOMEMLIMIT',
    );
    expect(set.filter((name) => !read.has(name))).toEqual([]);
  });

  it('publishes on 127.0.0.1 only, and every port can be moved', () => {
    expect(published).toHaveLength(3);
    for (const { address, variable } of published) {
      expect(address).toBe('127.0.0.1');
      expect(variable).toBeTypeOf('string');
    }
  });

  it('publishes the ports that deploy/README.md lists', () => {
    const rows = readFileSync('deploy/README.md', 'utf8').matchAll(
      /^\| `(?<service>\w+)` +\| (?<port>\d+) +\| `(?<variable>\w+)` +\|/gm,
    );
    const documented = [...rows].map(({ groups }) => ({ address: '127.0.0.1', ...groups }));
    expect(documented).toEqual(published);
  });
});
