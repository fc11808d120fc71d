import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Service {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly ports: readonly string[];
  readonly mem_limit: string;
  readonly restart: string;
  readonly healthcheck?: { readonly test: readonly string[] };
}

const source = readFileSync('docker-compose.yml', 'utf8');
const compose = parse(source) as { services: Record<string, Service>; volumes: Record<string, unknown> };
const services = Object.entries(compose.services);
const readme = readFileSync('deploy/README.md', 'utf8');

const volumes = services.flatMap(([service, { volumes }]) =>
  volumes.map((volume) => {
    const [source = '', target = '', mode = ''] = volume.split(':');
    return { service, source, target, mode };
  }),
);
const mounts = volumes.filter(({ source }) => source.startsWith('.'));

/** `vendor/name:${NAME_VERSION:-1.2.3}` in its parts. */
const IMAGE = /^[\w-]+\/[\w-]+:\$\{(?<variable>\w+):-(?<version>v?\d+\.\d+\.\d+)\}$/;

/** `127.0.0.1:${OTLP_HTTP_PORT:-4318}:4318` in its parts. */
const PUBLISHED = /^(?<address>[\d.]+):\$\{(?<variable>\w+):-(?<port>\d+)\}:(?<inside>\d+)$/;

const published = services.flatMap(([service, { ports }]) =>
  ports.map((port) => {
    const parts = PUBLISHED.exec(port)?.groups;
    return { service, address: parts?.['address'], port: parts?.['port'], variable: parts?.['variable'] };
  }),
);

describe('docker-compose.yml', () => {
  it('runs the collector, Jaeger and Prometheus, each within a memory limit and started again when it ends', () => {
    expect(services.map(([name]) => name)).toEqual(['collector', 'jaeger', 'prometheus']);
    for (const [, { mem_limit, restart, environment }] of services) {
      expect(mem_limit).toMatch(/^\d+m$/);
      expect(restart).toBe('unless-stopped');
      // The Go runtime collects harder near this, and so below what the container may take.
      expect(Number.parseInt(environment['GOMEMLIMIT'] ?? '', 10)).toBeLessThan(
        Number.parseInt(mem_limit, 10),
      );
    }
  });

  it('runs each at one version, and deploy/README.md says which and how to choose another', () => {
    const documented = [
      ...readme.matchAll(
        /^\| `(?<name>\w+)` +\| `(?<variable>\w+_VERSION)` +\| `(?<version>v?[\d.]+)` +\|/gm,
      ),
    ];
    expect(documented.map(({ groups }) => ({ ...groups }))).toEqual(
      services.map(([name, { image }]) => ({ name, ...IMAGE.exec(image)?.groups })),
    );
  });

  it.each(mounts)(
    '$service reads $source, which is in this repository and which it cannot change',
    (mount) => {
      expect(existsSync(mount.source)).toBe(true);
      expect(mount.mode).toBe('ro');
    },
  );

  it.each(services)('%s starts from a mounted file', (name, { command }) => {
    const files = mounts.filter(({ service }) => service === name).map(({ target }) => target);
    const config = /^--config(?:\.file)?=(.+)$/.exec(command[0] ?? '')?.[1];
    expect(files).toContain(config);
  });

  it('keeps the data of Prometheus in a named volume', () => {
    const kept = volumes.filter(({ source }) => !source.startsWith('.'));
    expect(kept).toEqual([
      { service: 'prometheus', source: 'prometheus-data', target: '/prometheus', mode: '' },
    ]);
    expect(Object.keys(compose.volumes)).toEqual(['prometheus-data']);
    expect(compose.services['prometheus']?.command).toContain('--storage.tsdb.path=/prometheus');
  });

  it('checks health without a shell, where the image has a program to ask with', () => {
    const programs = services.map(([name, { healthcheck }]) => [name, healthcheck?.test.slice(0, 2)]);
    expect(programs).toEqual([
      ['collector', undefined],
      ['jaeger', ['CMD', 'wget']],
      ['prometheus', ['CMD', '/bin/promtool']],
    ]);
  });

  it('has no password in it', () => {
    expect(source).not.toMatch(/password|secret|token|api[-_]?key/i);
  });

  it.each(mounts.filter(({ service }) => service !== 'prometheus'))(
    'sets for $service only variables that $source reads',
    ({ service, source }) => {
      const read = new Set(
        [...readFileSync(source, 'utf8').matchAll(/\$\{env:(\w+):-[^}]+\}/g)].map((match) => match[1]),
      );
      const set = Object.keys(compose.services[service]?.environment ?? {}).filter(
        // Read by the Go runtime.
        (name) => name !== 'GOMEMLIMIT',
      );
      expect(set.filter((name) => !read.has(name))).toEqual([]);
    },
  );

  it('publishes on 127.0.0.1 only, and every port can be moved', () => {
    expect(published).toHaveLength(4);
    for (const { address, variable } of published) {
      expect(address).toBe('127.0.0.1');
      expect(variable).toBeTypeOf('string');
    }
  });

  it('publishes the ports that deploy/README.md lists', () => {
    const rows = readme.matchAll(/^\| `(?<service>\w+)` +\| (?<port>\d+) +\| `(?<variable>\w+_PORT)` +\|/gm);
    const documented = [...rows].map(({ groups }) => ({ address: '127.0.0.1', ...groups }));
    expect(documented).toEqual(published);
  });

  it('lets Prometheus ask the collector on the ports that the collector listens on', () => {
    const prometheus = readFileSync('deploy/prometheus/prometheus.yml', 'utf8');
    const collector = readFileSync('deploy/collector/development.yaml', 'utf8');
    const asked = [...prometheus.matchAll(/targets: \[collector:(\d+)\]/g)].map((match) => match[1]);
    const listened = ['COLLECTOR_PROMETHEUS_PORT', 'COLLECTOR_SELF_PORT'].map(
      (variable) => new RegExp(`\\{env:${variable}:-(\\d+)\\}`).exec(collector)?.[1],
    );
    expect(asked).toEqual(listened);
  });
});
