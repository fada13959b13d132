// Paces each connection to Envoy by what its frames cost: who floods waits, and nobody else.
//
// Envoy answers calls without a token, resets, PINGs and SETTINGS as fast as they come, so that who
// sends them without pause takes its processor from everybody. Here each frame that a connection
// sends costs 1, but for DATA of SMALL bytes or more, which are held to HTTP/2's windows; HEADERS,
// which begin a call, cost CALL more. Each DATA frame of an answer that goes on, or has SMALL bytes,
// gives ANSWERED back: calls that a server answers cost nothing, refused ones do. Over HTTP/1.1 a
// read of less than SMALL bytes costs 1, and an answer costs CALL or gives ANSWERED by its status.
//
// A connection saves MOST of what answers give, and LITTLE of the RATE a second that time gives.
// While it is in debt, Envoy holds back what it sends and reads no more than a buffer of it.
//
// A network filter by the Proxy-Wasm ABI 0.2.1, without a library; `make deploy/pacing.wasm` compiles it to
// pacing.wasm, and tests/reference/pacing.py says the same in Python.
#include <stdint.h>

enum { CALL = 20, ANSWERED = 100, SMALL = 256 };
enum { RATE = 250, LITTLE = 32, MOST = 500 };
// A new connection has NEW, of the SHARED a second of all new ones: where these are used up, since
// somebody opens connections without pause, it has LITTLE, which is one call.
enum { NEW = 250, SHARED = 10000 };
// So many bytes that were held back go on in a tick, for a hundred connections may wait alike.
enum { TICK_MS = 20, TICK_BYTES = 1 << 15 };
// Twice what envoy.yaml lets in.
enum { N_CONNECTIONS = 4096 };

enum { CONTINUE, WAIT };
enum { DOWNSTREAM = 2, UPSTREAM = 3 };  // sent by the peer, and by Envoy
enum { DATA, HEADERS };
enum { END_STREAM = 1 };
enum { MONOTONIC = 1 };

#define FROM(module, name) __attribute__((import_module(module), import_name(#name))) uint32_t name
#define TO_ENVOY(name) __attribute__((export_name(#name)))

FROM("env", proxy_get_buffer_bytes)
(uint32_t of, uint32_t from, uint32_t most, uint8_t **bytes, uint32_t *size);
FROM("env", proxy_set_tick_period_milliseconds)(uint32_t);
FROM("env", proxy_set_effective_context)(uint32_t id);
FROM("env", proxy_continue_stream)(uint32_t of);
FROM("wasi_snapshot_preview1", clock_time_get)(uint32_t clock, uint64_t, uint64_t *nanoseconds);

// What a direction is in the middle of: a frame's head, or its payload.
typedef struct {
  uint8_t head[9];
  uint8_t n_head;
  uint32_t left;  // of the payload
} Frames;

typedef struct {
  uint32_t id;  // 0: nobody's
  int32_t saved;
  int64_t at_ms;       // until when time has given
  uint32_t n_preface;  // bytes of HTTP/2's preface that have come
  uint32_t n_held;     // bytes that have been paid for and are held back
  uint8_t is_http1, waits;
  Frames sent, answered;
} Connection;

static const char PREFACE[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
static const char STATUS[] = "HTTP/1.1 ";
enum { N_PREFACE = sizeof PREFACE - 1, N_STATUS = sizeof STATUS - 1 };

static Connection connections[N_CONNECTIONS];
static uint8_t piece[4096];  // of a buffer, one at a time

// Return the first place of an id, looked for from where another would stand; null if there is none.
static Connection *find(uint32_t id, uint32_t from) {
  for (uint32_t i = 0; i < N_CONNECTIONS; i++) {
    Connection *one = &connections[(from + i) % N_CONNECTIONS];
    if (one->id == id) return one;
  }
  return 0;
}

static void earn(Connection *one, int64_t amount, int32_t most) {
  if (one->saved >= most) return;
  one->saved = one->saved + amount < most ? one->saved + amount : most;
}

// Return what time has given at a rate a second, and move on `at_ms` by as much.
static int64_t given(int64_t *at_ms, int32_t rate) {
  uint64_t now = 0;
  clock_time_get(MONOTONIC, 0, &now);
  int64_t amount = ((int64_t)(now / 1000000) - *at_ms) * rate / 1000;
  *at_ms += amount * 1000 / rate;
  return amount;
}

static int32_t for_a_new_one(void) {
  static int64_t at_ms;
  static int32_t shared;
  int64_t more = shared + given(&at_ms, SHARED);
  shared = more < SHARED ? more : SHARED;
  int32_t share = shared < NEW ? shared : NEW;
  shared -= share;
  return share > LITTLE ? share : LITTLE;
}

static void pay(Connection *one, uint32_t buffer, uint32_t size, uint8_t kind, uint8_t flags) {
  if (buffer == UPSTREAM) {
    if (kind == DATA && (size >= SMALL || !(flags & END_STREAM))) earn(one, ANSWERED, MOST);
    return;
  }
  if (kind != DATA || size < SMALL) one->saved -= 1;
  if (kind == HEADERS) one->saved -= CALL;
}

// Pay for the frames whose heads end in this part of a buffer.
static void pay_frames(Connection *one, uint32_t buffer, uint32_t from, uint32_t to) {
  Frames *frames = buffer == DOWNSTREAM ? &one->sent : &one->answered;
  while (from < to) {
    uint8_t *bytes = 0;
    uint32_t size = 0, at = 0;
    if (frames->left >= to - from) {  // a payload is not looked at
      frames->left -= to - from;
      return;
    }
    from += frames->left;
    frames->left = 0;
    uint32_t most = to - from < sizeof piece ? to - from : sizeof piece;
    if (proxy_get_buffer_bytes(buffer, from, most, &bytes, &size) || !size) return;
    while (at < size && frames->left <= size - at) {
      at += frames->left;
      frames->left = 0;
      if (at == size) break;
      uint8_t *head = frames->head;
      head[frames->n_head++] = bytes[at++];
      if (frames->n_head < sizeof frames->head) continue;
      frames->n_head = 0;
      frames->left = head[0] << 16 | head[1] << 8 | head[2];
      pay(one, buffer, frames->left, head[3], head[4]);
    }
    if (at < size) frames->left -= size - at;
    from += size;
  }
}

// Return how many bytes of this part are HTTP/2's preface; without one it is HTTP/1.1.
static uint32_t skip_preface(Connection *one, uint32_t from, uint32_t to) {
  uint8_t *bytes = 0;
  uint32_t size = 0, n_missing = N_PREFACE - one->n_preface;
  uint32_t most = to - from < n_missing ? to - from : n_missing;
  if (!most || proxy_get_buffer_bytes(DOWNSTREAM, from, most, &bytes, &size)) return 0;
  for (uint32_t i = 0; i < size; i++)
    if (bytes[i] != PREFACE[one->n_preface++]) {
      one->is_http1 = 1;
      return 0;
    }
  return size;
}

// Pay for an answer over HTTP/1.1, or be paid for it, where one begins.
static void pay_status(Connection *one) {
  uint8_t *bytes = 0;
  uint32_t size = 0;
  if (proxy_get_buffer_bytes(UPSTREAM, 0, N_STATUS + 1, &bytes, &size) || size <= N_STATUS) return;
  for (uint32_t i = 0; i < N_STATUS; i++)
    if (bytes[i] != STATUS[i]) return;
  if (bytes[N_STATUS] == '2') earn(one, ANSWERED, MOST);
  else one->saved -= CALL;
}

TO_ENVOY(proxy_abi_version_0_2_1) void abi_version(void) {}
TO_ENVOY(_initialize) void initialize(void) {}
TO_ENVOY(proxy_on_vm_start) uint32_t on_start(uint32_t id, uint32_t size) { return 1; }
TO_ENVOY(proxy_on_done) uint32_t on_done(uint32_t id) { return 1; }

TO_ENVOY(proxy_on_memory_allocate) uint8_t *allocate(uint32_t size) {
  return size <= sizeof piece ? piece : 0;
}

TO_ENVOY(proxy_on_configure) uint32_t on_configure(uint32_t id, uint32_t size) {
  proxy_set_tick_period_milliseconds(TICK_MS);
  return 1;
}

TO_ENVOY(proxy_on_context_create) void on_open(uint32_t id, uint32_t parent) {
  Connection *one = parent ? find(0, id) : 0;  // the filter itself has no parent
  if (!one) return;
  *one = (Connection){.id = id, .saved = for_a_new_one()};
  given(&one->at_ms, RATE);
}

TO_ENVOY(proxy_on_delete) void on_close(uint32_t id) {
  Connection *one = find(id, id);
  if (one) one->id = 0;
}

// A peer has sent something; `size` counts what is held back as well.
TO_ENVOY(proxy_on_downstream_data) uint32_t on_sent(uint32_t id, uint32_t size, uint32_t is_end) {
  Connection *one = find(id, id);
  if (!one) return CONTINUE;
  // Before it pays, for what it has not spent beyond LITTLE is lost.
  earn(one, given(&one->at_ms, RATE), LITTLE);
  uint32_t from = one->n_held;
  if (!one->is_http1) from += skip_preface(one, from, size);
  if (!one->is_http1) pay_frames(one, DOWNSTREAM, from, size);
  else if (size - from < SMALL) one->saved -= 1;
  if (one->saved < 0) one->waits = 1;
  one->n_held = one->waits ? size : 0;
  return one->waits ? WAIT : CONTINUE;
}

// Envoy sends something to a peer.
TO_ENVOY(proxy_on_upstream_data) uint32_t on_answered(uint32_t id, uint32_t size, uint32_t is_end) {
  Connection *one = find(id, id);
  if (one && one->is_http1) pay_status(one);
  else if (one) pay_frames(one, UPSTREAM, 0, size);
  return CONTINUE;
}

TO_ENVOY(proxy_on_tick) void on_tick(uint32_t id) {
  static uint32_t turn;
  int32_t left = TICK_BYTES;
  for (uint32_t i = 0; i < N_CONNECTIONS && left > 0; i++) {
    Connection *one = &connections[turn++ % N_CONNECTIONS];
    if (!one->id || !one->waits) continue;
    earn(one, given(&one->at_ms, RATE), LITTLE);
    if (one->saved < 0) continue;
    left -= one->n_held;
    one->n_held = one->waits = 0;
    proxy_set_effective_context(one->id);
    proxy_continue_stream(DOWNSTREAM);
  }
}
