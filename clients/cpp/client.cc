// Every kind of call to a tokalign server, from C++.
// Usage: client ADDRESS SOURCE TARGET
// ADDRESS is HOST:PORT, or ipv4:HOST:PORT,HOST:PORT to balance over several. From the environment:
// CA (PEM file of who signed the server's certificate: speaks TLS), TOKEN, SERVICE_CONFIG
// (deploy/service_config.json).
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "google/rpc/code.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tokalign/v1/align.grpc.pb.h"

namespace v1 = tokalign::v1;
using Stub = v1::AlignService::Stub;

// quick start
std::string Content(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<Stub> Connect(const std::string& address, int max_receive_bytes) {
  auto credentials = grpc::InsecureChannelCredentials();
  if (const char* ca = std::getenv("CA")) {
    credentials = grpc::SslCredentials({Content(ca), "", ""});
    if (const char* token = std::getenv("TOKEN")) {
      credentials = CompositeChannelCredentials(credentials, grpc::AccessTokenCredentials(token));
    }
  }
  grpc::ChannelArguments arguments;
  arguments.SetServiceConfigJSON(Content(std::getenv("SERVICE_CONFIG")));  // retries, balancing
  arguments.SetMaxReceiveMessageSize(max_receive_bytes);
  return v1::AlignService::NewStub(grpc::CreateCustomChannel(address, credentials, arguments));
}

void SetDeadline(grpc::ClientContext& context, int seconds) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(seconds));
}

// Offsets by bytes of UTF-8, which strings of C++ are sliced by.
std::string Word(const v1::Sentence& in, int index) {
  return in.text().substr(in.starts(index), in.ends(index) - in.starts(index));
}

// Of each kind of relation by its number; the first where there is none, "?" for a newer server's.
const char* Sign(const v1::Alignment& alignment, int n) {
  static const char* const signs[] = {"-", "=", "<", ">", "≈", "~", "!", "≠"};
  const std::size_t kind = n < alignment.relations_size() ? alignment.relations(n) : 0;
  return kind < std::size(signs) ? signs[kind] : "?";
}

grpc::Status Align(Stub& stub, const v1::Pair& pair) {
  v1::AlignRequest request;
  *request.mutable_pair() = pair;
  request.mutable_options()->set_offsets(v1::OFFSET_UNIT_UTF8_BYTES);
  request.mutable_options()->set_relations(true);
  v1::AlignResponse answer;
  grpc::ClientContext context;
  SetDeadline(context, 30);
  if (auto status = stub.Align(&context, request, &answer); !status.ok()) return status;
  const auto& alignment = answer.alignment();
  std::cout << "align:";
  for (int n = 0; n < alignment.source_indices_size(); ++n) {
    std::cout << " " << Word(alignment.source(), alignment.source_indices(n)) << Sign(alignment, n)
              << Word(alignment.target(), alignment.target_indices(n));
  }
  std::cout << std::endl;
  return grpc::Status::OK;
}
// end of quick start

v1::Pair Unfit(v1::Pair pair) {
  pair.mutable_target()->clear_text();
  return pair;
}

// The name of a code; grpc for C++ has none, google.rpc has.
std::string Name(int code) { return google::rpc::Code_Name(static_cast<google::rpc::Code>(code)); }

grpc::Status BatchAlign(Stub& stub, const v1::Pair& pair) {
  v1::BatchAlignRequest request;
  *request.add_pairs() = pair;
  *request.add_pairs() = Unfit(pair);
  v1::BatchAlignResponse answer;
  grpc::ClientContext context;
  SetDeadline(context, 30);
  if (auto status = stub.BatchAlign(&context, request, &answer); !status.ok()) return status;
  const char* before = "batch: ";
  for (const auto& result : answer.results()) {
    std::cout << before;
    if (result.status().code() == grpc::StatusCode::OK) {
      std::cout << result.alignment().source_indices_size() << " links";
    } else {
      std::cout << Name(result.status().code()) << " " << result.status().field();
    }
    before = ", ";
  }
  std::cout << std::endl;
  return grpc::Status::OK;
}

// Answers are read while chunks are written; they may overtake one another.
grpc::Status AlignStream(Stub& stub, const v1::Pair& pair) {
  grpc::ClientContext context;
  SetDeadline(context, 60);
  auto stream = stub.AlignStream(&context);
  std::thread writer([&] {
    for (int chunk = 0; chunk < 10; ++chunk) {
      v1::AlignStreamRequest request;
      request.set_chunk_id(std::to_string(chunk));
      *request.add_pairs() = pair;
      *request.add_pairs() = pair;
      if (!stream->Write(request)) return;  // the stream has ended; Finish says why
    }
    stream->WritesDone();
  });
  std::set<std::string> seen;
  int links = 0;
  v1::AlignStreamResponse answer;
  while (stream->Read(&answer)) {
    seen.insert(answer.chunk_id());
    for (const auto& result : answer.results()) links += result.alignment().source_indices_size();
  }
  writer.join();
  auto status = stream->Finish();
  if (status.ok()) std::cout << "stream: " << seen.size() << " chunks, " << links << " links" << std::endl;
  return status;
}

grpc::Status Rank(Stub& stub, const v1::Pair&) {
  v1::RankRequest request;
  request.mutable_question()->set_text("Who founded the bakery?");
  for (const char* text : {"It rains.", "Marta founded the bakery."}) {
    request.add_candidates()->mutable_sentence()->set_text(text);
  }
  v1::RankResponse answer;
  grpc::ClientContext context;
  SetDeadline(context, 30);
  if (auto status = stub.Rank(&context, request, &answer); !status.ok()) return status;
  std::cout.setf(std::ios::fixed);
  std::cout.precision(2);
  const char* before = "rank: ";
  for (const auto& each : answer.ranking()) {
    std::cout << before << each.index() << " " << each.judgement().score();
    before = ", ";
  }
  std::cout << std::endl;
  return grpc::Status::OK;
}

// The text from the first of a block's sentences to the last one.
template <typename Sentences, typename Numbers>
std::string Part(const std::string& text, const Sentences& sentences, const Numbers& numbers) {
  if (numbers.empty()) return "(none)";
  const auto start = sentences.Get(*numbers.begin()).start();
  return text.substr(start, sentences.Get(*numbers.rbegin()).end() - start);
}

grpc::Status AlignTexts(Stub& stub, const v1::Pair&) {
  v1::AlignTextsRequest request;
  request.set_old_text("It rains. Marta sells 🥐 and bakes bread. Nobody came.");
  request.set_new_text("Marta sells 🥐. She bakes bread. It rains. Dogs bark.");
  request.mutable_options()->set_offsets(v1::OFFSET_UNIT_UTF8_BYTES);
  v1::AlignTextsResponse answer;
  grpc::ClientContext context;
  SetDeadline(context, 30);
  if (auto status = stub.AlignTexts(&context, request, &answer); !status.ok()) return status;
  for (const auto& block : answer.blocks()) {
    std::cout << "texts: " << Part(request.old_text(), answer.old_sentences(), block.old_sentences())
              << " -> " << Part(request.new_text(), answer.new_sentences(), block.new_sentences())
              << (block.moved() ? " (moved)" : "") << std::endl;
  }
  return grpc::Status::OK;
}

// What supports each sentence of an answer, and the words that have no support.
grpc::Status Ground(Stub& stub, const v1::Pair&) {
  v1::GroundRequest request;
  request.set_answer("Marta sells 🥐 in Paris. She opened the bakery in 1894.");
  auto* passage = request.add_passages();
  passage->set_id("town");
  passage->set_text("🥐 are sold by Marta. The bakery opened in 1987.");
  request.mutable_options()->set_offsets(v1::OFFSET_UNIT_UTF8_BYTES);
  v1::GroundResponse answer;
  grpc::ClientContext context;
  SetDeadline(context, 30);
  if (auto status = stub.Ground(&context, request, &answer); !status.ok()) return status;
  std::map<std::string, std::string> texts;
  for (const auto& each : request.passages()) texts[each.id()] = each.text();
  const auto part = [](const std::string& text, const auto& range) {
    return text.substr(range.start(), range.end() - range.start());
  };
  for (const auto& sentence : answer.sentences()) {
    std::cout << "ground: " << part(request.answer(), sentence);
    for (const auto& each : sentence.citations())
      std::cout << " <- " << each.passage() << ": " << part(texts[each.passage()], each);
    for (const auto& each : sentence.unsupported())
      std::cout << " (no support: " << part(request.answer(), each) << ")";
    std::cout << std::endl;
  }
  return grpc::Status::OK;
}

// The code, the fields that cannot be used, and when to come back.
std::string Explained(const grpc::Status& status) {
  std::ostringstream parts;
  parts << Name(status.error_code());
  google::rpc::Status details;
  details.ParseFromString(status.error_details());
  for (const auto& detail : details.details()) {
    google::rpc::BadRequest request;
    google::rpc::RetryInfo retry;
    if (detail.UnpackTo(&request)) {
      for (const auto& violation : request.field_violations()) parts << " " << violation.field();
    } else if (detail.UnpackTo(&retry)) {
      const auto& delay = retry.retry_delay();
      parts << " retry after " << delay.seconds() * 1000 + delay.nanos() / 1000000 << " ms";
    }
  }
  return parts.str();
}

grpc::Status Plain(Stub& stub, const v1::Pair& pair, int seconds = 30) {
  v1::AlignRequest request;
  *request.mutable_pair() = pair;
  v1::AlignResponse answer;
  grpc::ClientContext context;
  SetDeadline(context, seconds);
  return stub.Align(&context, request, &answer);
}

int main(int, char** arguments) {
  const std::string address = arguments[1];
  auto stub = Connect(address, 32 << 20);
  v1::Pair pair;
  pair.mutable_source()->set_text(arguments[2]);
  pair.mutable_target()->set_text(arguments[3]);
  for (auto part : {Align, BatchAlign, AlignStream, Rank, AlignTexts, Ground}) {
    if (auto status = part(*stub, pair); !status.ok()) {
      std::cerr << Explained(status) << std::endl;
      return 1;
    }
  }
  std::cout << "invalid: " << Explained(Plain(*stub, Unfit(pair))) << std::endl;
  std::cout << "deadline: " << Explained(Plain(*stub, pair, -1)) << std::endl;
  std::cout << "receive limit: " << Explained(Plain(*Connect(address, 16), pair)) << std::endl;
  for (int n = 0; n < 100; ++n) {
    if (auto status = Plain(*stub, pair); !status.ok()) return 1;
  }
  std::cout << "balance: 100 calls" << std::endl;
}
