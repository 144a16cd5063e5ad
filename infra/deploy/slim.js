// Removes files from node_modules that this platform does not load.
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const modules = resolve(import.meta.dirname, '..', '..', 'node_modules');

keepOnly('onnxruntime-node/bin/napi-v6', process.platform);
keepOnly(`onnxruntime-node/bin/napi-v6/${process.platform}`, process.arch);
const rust = { x64: 'x86_64', arm64: 'aarch64' }[process.arch];
keepOnly('@temporalio/core-bridge/releases', `${rust}-unknown-linux-gnu`);
// `require` loads `echarts.js`, and `package.json` says that the file is CommonJS.
keepOnly('echarts/dist', 'echarts.js', 'package.json');
for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true }))
  if (entry.isFile() && /\.(?:map|d\.[cm]?ts|tsbuildinfo|markdown)$/.test(entry.name))
    rmSync(join(entry.parentPath, entry.name));

/** Throws if one of `names` is missing, because the package then has a new layout. */
function keepOnly(folder, ...names) {
  const entries = readdirSync(join(modules, folder));
  const missing = names.find((name) => !entries.includes(name));
  if (missing !== undefined) throw new Error(`${folder} has ${entries.join(', ')}, but not ${missing}`);
  for (const entry of entries) if (!names.includes(entry)) rmSync(join(modules, folder, entry), { recursive: true });
}
