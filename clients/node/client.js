// Every kind of call to a tokalign server, from Node.
// Usage: node client.js ADDRESS SOURCE TARGET
// ADDRESS is HOST:PORT, or ipv4:HOST:PORT,HOST:PORT to balance over several. From the environment:
// CA (PEM file of who signed the server's certificate: speaks TLS), TOKEN, SERVICE_CONFIG
// (deploy/service_config.json), PROTOS (the folder that holds tokalign/ and google/).
import {readFileSync} from "node:fs";
import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";

const {CA, TOKEN, SERVICE_CONFIG, PROTOS} = process.env;
const [address, source, target] = process.argv.slice(2);

// quick start
const files = ["tokalign/v1/align.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"];
const protos = protoLoader.loadSync(files, {
  includeDirs: [PROTOS], keepCase: true, longs: Number, enums: String, defaults: true,
});
const {AlignService} = grpc.loadPackageDefinition(protos).tokalign.v1;

function connect(maxReceiveBytes) {
  let credentials = grpc.credentials.createInsecure();
  if (CA) {
    const bearer = grpc.credentials.createFromMetadataGenerator((_, callback) => {
      const metadata = new grpc.Metadata();
      if (TOKEN) metadata.set("authorization", `Bearer ${TOKEN}`);
      callback(null, metadata);
    });
    credentials = grpc.credentials.createSsl(readFileSync(CA));
    credentials = grpc.credentials.combineChannelCredentials(credentials, bearer);
  }
  return new AlignService(address, credentials, {
    "grpc.service_config": readFileSync(SERVICE_CONFIG, "utf8"), // retries, balancing
    "grpc.max_receive_message_length": maxReceiveBytes,
  });
}

const client = connect(32 << 20);
const deadline = (seconds) => ({deadline: Date.now() + 1000 * seconds});
const call = (method, request, seconds = 30) => new Promise((resolve, reject) => {
  client[method](request, deadline(seconds), (error, answer) => error ? reject(error) : resolve(answer));
});

// The offsets that strings of JavaScript are sliced by.
const options = {offsets: "OFFSET_UNIT_UTF16_UNITS", relations: true};
// Of each kind of relation; "-" where there is none, "?" for a newer server's, which is a number.
const signs = {SAME: "=", NARROWER: "<", WIDER: ">", SIMILAR: "≈", RELATED: "~", OPPOSITE: "!", DIFFERENT_VALUE: "≠"};
const pair = {source: {text: source}, target: {text: target}};

async function align() {
  const {alignment} = await call("Align", {pair, options});
  const word = ({text, starts, ends}, index) => text.slice(starts[index], ends[index]);
  const sign = (kind) => kind === undefined ? "-" : signs[String(kind).replace("RELATION_KIND_", "")] ?? "?";
  const links = alignment.source_indices.map((s, n) => word(alignment.source, s)
    + sign(alignment.relations[n]) + word(alignment.target, alignment.target_indices[n]));
  console.log("align:", links.join(" "));
}
// end of quick start

async function batchAlign() {
  const {results} = await call("BatchAlign", {pairs: [pair, {...pair, target: {text: ""}}], options});
  const shown = results.map(({status, alignment}) => status.code === grpc.status.OK
    ? `${alignment.source_indices.length} links` : `${grpc.status[status.code]} ${status.field}`);
  console.log("batch:", shown.join(", "));
}

// Answers are read while chunks are written; they may overtake one another.
async function alignStream() {
  const stream = client.AlignStream(deadline(60));
  async function write() {
    for (let chunk = 0; chunk < 10; chunk++) {
      if (!stream.write({chunk_id: String(chunk), pairs: [pair, pair], options})) {
        await new Promise((resolve) => stream.once("drain", resolve));
      }
    }
    stream.end();
  }
  const writing = write();
  const seen = new Set();
  let links = 0;
  for await (const {chunk_id, status, results} of stream) {
    if (status.code !== grpc.status.OK) throw new Error(status.message);
    seen.add(chunk_id);
    for (const {alignment} of results) links += alignment.source_indices.length;
  }
  await writing;
  console.log(`stream: ${seen.size} chunks, ${links} links`);
}

async function rank() {
  const candidates = ["It rains.", "Marta founded the bakery."].map((text) => ({sentence: {text}}));
  const {ranking} = await call("Rank", {question: {text: "Who founded the bakery?"}, candidates});
  // A candidate that could not be aligned has no judgement.
  const score = ({judgement}) => (judgement?.score ?? 0).toFixed(2);
  console.log("rank:", ranking.map((each) => `${each.index} ${score(each)}`).join(", "));
}

async function alignTexts() {
  const old = "It rains. Marta sells 🥐 and bakes bread. Nobody came.";
  const now = "Marta sells 🥐. She bakes bread. It rains. Dogs bark.";
  const answer = await call("AlignTexts", {old_text: old, new_text: now, options});
  // From the first of a block's sentences to the last one.
  const part = (text, sentences, numbers) => numbers.length
    ? text.slice(sentences[numbers[0]].start, sentences[numbers.at(-1)].end) : "(none)";
  for (const {old_sentences, new_sentences, moved} of answer.blocks) {
    const sides = [part(old, answer.old_sentences, old_sentences), part(now, answer.new_sentences, new_sentences)];
    console.log("texts:", sides.join(" -> ") + (moved ? " (moved)" : ""));
  }
}

// What supports each sentence of an answer, and the words that have no support.
async function ground() {
  const answer = "Marta sells 🥐 in Paris. She opened the bakery in 1894.";
  const passages = [{id: "town", text: "🥐 are sold by Marta. The bakery opened in 1987."}];
  const texts = new Map(passages.map(({id, text}) => [id, text]));
  const {sentences} = await call("Ground", {answer, passages, options: {offsets: options.offsets}});
  for (const {start, end, citations, unsupported} of sentences) {
    const cited = citations.map((each) => ` <- ${each.passage}: ${texts.get(each.passage).slice(each.start, each.end)}`);
    const without = unsupported.map((each) => ` (no support: ${answer.slice(each.start, each.end)})`);
    console.log("ground:", [answer.slice(start, end), ...cited, ...without].join(""));
  }
}

// The code, the fields that cannot be used, and when to come back.
function explained(error) {
  const parts = [grpc.status[error.code]];
  for (const packed of error.metadata?.get("grpc-status-details-bin") ?? []) {
    for (const {type_url, value} of protos["google.rpc.Status"].deserialize(packed).details) {
      const detail = protos[type_url.split("/").pop()].deserialize(value);
      parts.push(...(detail.field_violations ?? []).map(({field}) => field));
      if (detail.retry_delay) {
        parts.push(`retry after ${detail.retry_delay.seconds * 1000 + detail.retry_delay.nanos / 1e6} ms`);
      }
    }
  }
  return parts.join(" ");
}

async function failures() {
  const told = (promise) => promise.then(() => "OK", explained);
  console.log("invalid:", await told(call("Align", {pair: {...pair, target: {text: ""}}})));
  console.log("deadline:", await told(call("Align", {pair}, -1)));
  const small = connect(16);
  console.log("receive limit:", await told(new Promise((resolve, reject) => {
    small.Align({pair}, deadline(30), (error, answer) => error ? reject(error) : resolve(answer));
  })));
  small.close();
}

async function balance() {
  for (let n = 0; n < 100; n++) await call("Align", {pair});
  console.log("balance: 100 calls");
}

try {
  for (const part of [align, batchAlign, alignStream, rank, alignTexts, ground, failures, balance]) await part();
} catch (error) {
  console.error(explained(error));
  process.exitCode = 1;
}
client.close();
