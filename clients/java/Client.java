import com.google.gson.Gson;
import com.google.protobuf.Any;
import com.google.protobuf.util.Durations;
import com.google.rpc.BadRequest;
import com.google.rpc.RetryInfo;
import com.tokalign.v1.*;
import io.grpc.*;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

/**
 * Every kind of call to a tokalign server, from Java.
 *
 * Usage: java Client ADDRESS SOURCE TARGET
 * ADDRESS is HOST:PORT; calls are balanced over all addresses of the name. From the environment: CA
 * (PEM file of who signed the server's certificate: speaks TLS), TOKEN, SERVICE_CONFIG
 * (deploy/service_config.json).
 */
public class Client {
    // quick start
    static ManagedChannel connect(String address) throws Exception {
        Path config = Path.of(System.getenv("SERVICE_CONFIG"));
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget("dns:///" + address)
            .defaultServiceConfig(new Gson().fromJson(Files.readString(config), Map.class))
            .enableRetry()
            .maxInboundMessageSize(32 << 20);
        String authority = System.getenv("CA");
        if (authority == null) return builder.usePlaintext().build();
        var tls = GrpcSslContexts.forClient().trustManager(new File(authority)).build();
        return builder.sslContext(tls).build();
    }

    static class Bearer extends CallCredentials {
        static final Metadata.Key<String> KEY =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

        @Override
        public void applyRequestMetadata(RequestInfo call, Executor executor, MetadataApplier applier) {
            Metadata headers = new Metadata();
            headers.put(KEY, "Bearer " + System.getenv("TOKEN"));
            applier.apply(headers);
        }

        @Override
        public void thisUsesUnstableApi() {}
    }

    // The offsets that strings of Java are sliced by.
    static final AlignOptions OPTIONS =
        AlignOptions.newBuilder().setOffsets(OffsetUnit.OFFSET_UNIT_UTF16_UNITS).setRelations(true).build();

    static String word(Sentence in, int index) {
        return in.getText().substring(in.getStarts(index), in.getEnds(index));
    }

    // Of each kind of relation by its number; the first where there is none, '?' for a newer server's.
    static final String SIGNS = "-=<>\u2248~!\u2260";

    static char sign(Alignment aligned, int n) {
        int kind = n < aligned.getRelationsCount() ? aligned.getRelationsValue(n) : 0;
        return kind >= 0 && kind < SIGNS.length() ? SIGNS.charAt(kind) : '?';
    }

    void align() {
        Alignment aligned = stub().align(
            AlignRequest.newBuilder().setPair(pair).setOptions(OPTIONS).build()).getAlignment();
        System.out.println("align: " + IntStream.range(0, aligned.getSourceIndicesCount())
            .mapToObj(n -> word(aligned.getSource(), aligned.getSourceIndices(n)) + sign(aligned, n)
                + word(aligned.getTarget(), aligned.getTargetIndices(n)))
            .collect(Collectors.joining(" ")));
    }
    // end of quick start

    final AlignServiceGrpc.AlignServiceBlockingStub blocking;
    final AlignServiceGrpc.AlignServiceStub async;
    final Pair pair;

    Client(Channel channel, Pair pair) {
        var credentials = System.getenv("TOKEN") == null ? null : new Bearer();
        blocking = AlignServiceGrpc.newBlockingStub(channel).withCallCredentials(credentials);
        async = AlignServiceGrpc.newStub(channel).withCallCredentials(credentials);
        this.pair = pair;
    }

    AlignServiceGrpc.AlignServiceBlockingStub stub() {
        return blocking.withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    static Sentence sentence(String text) {
        return Sentence.newBuilder().setText(text).build();
    }

    Pair unfit() {
        return pair.toBuilder().setTarget(sentence("")).build();
    }

    void batchAlign() {
        var answer = stub().batchAlign(BatchAlignRequest.newBuilder()
            .addPairs(pair).addPairs(unfit()).setOptions(OPTIONS).build());
        System.out.println("batch: " + answer.getResultsList().stream().map(result -> {
            Status.Code code = Status.fromCodeValue(result.getStatus().getCode()).getCode();
            return code == Status.Code.OK ? result.getAlignment().getSourceIndicesCount() + " links"
                : code + " " + result.getStatus().getField();
        }).collect(Collectors.joining(", ")));
    }

    // Answers arrive while chunks are written; they may overtake one another.
    void alignStream() throws Exception {
        Set<String> seen = new HashSet<>();
        int[] links = {0};
        CompletableFuture<Void> done = new CompletableFuture<>();
        StreamObserver<AlignStreamRequest> requests =
            async.withDeadlineAfter(60, TimeUnit.SECONDS).alignStream(new StreamObserver<>() {
                @Override
                public void onNext(AlignStreamResponse answer) {
                    seen.add(answer.getChunkId());
                    answer.getResultsList().forEach(
                        each -> links[0] += each.getAlignment().getSourceIndicesCount());
                }

                @Override
                public void onError(Throwable failure) {
                    done.completeExceptionally(failure);
                }

                @Override
                public void onCompleted() {
                    done.complete(null);
                }
            });
        for (int chunk = 0; chunk < 10; chunk++) {
            requests.onNext(AlignStreamRequest.newBuilder().setChunkId("" + chunk)
                .addPairs(pair).addPairs(pair).setOptions(OPTIONS).build());
        }
        requests.onCompleted();
        done.get();
        System.out.printf("stream: %d chunks, %d links%n", seen.size(), links[0]);
    }

    void rank() {
        var request = RankRequest.newBuilder().setQuestion(sentence("Who founded the bakery?"));
        for (String text : List.of("It rains.", "Marta founded the bakery.")) {
            request.addCandidates(Candidate.newBuilder().setSentence(sentence(text)));
        }
        System.out.println("rank: " + stub().rank(request.build()).getRankingList().stream()
            .map(each -> String.format(
                Locale.ROOT, "%d %.2f", each.getIndex(), each.getJudgement().getScore()))
            .collect(Collectors.joining(", ")));
    }

    // The text from the first of a block's sentences to the last one.
    static String part(String text, List<TextSentence> sentences, List<Integer> numbers) {
        if (numbers.isEmpty()) return "(none)";
        int last = numbers.get(numbers.size() - 1);
        return text.substring(sentences.get(numbers.get(0)).getStart(), sentences.get(last).getEnd());
    }

    void alignTexts() {
        String old = "It rains. Marta sells \ud83e\udd50 and bakes bread. Nobody came.";
        String now = "Marta sells \ud83e\udd50. She bakes bread. It rains. Dogs bark.";
        var answer = stub().alignTexts(
            AlignTextsRequest.newBuilder().setOldText(old).setNewText(now).setOptions(OPTIONS).build());
        for (TextBlock block : answer.getBlocksList()) {
            System.out.println("texts: "
                + part(old, answer.getOldSentencesList(), block.getOldSentencesList()) + " -> "
                + part(now, answer.getNewSentencesList(), block.getNewSentencesList())
                + (block.getMoved() ? " (moved)" : ""));
        }
    }

    // What supports each sentence of an answer, and the words that have no support.
    void ground() {
        String text = "Marta sells \ud83e\udd50 in Paris. She opened the bakery in 1894.";
        var passages = Map.of("town", "\ud83e\udd50 are sold by Marta. The bakery opened in 1987.");
        var request = GroundRequest.newBuilder().setAnswer(text)
            .setOptions(GroundOptions.newBuilder().setOffsets(OPTIONS.getOffsets()));
        passages.forEach((id, passage) -> request.addPassages(
            SourcePassage.newBuilder().setId(id).setText(passage)));
        for (GroundedSentence sentence : stub().ground(request.build()).getSentencesList()) {
            var line = new StringBuilder(text.substring(sentence.getStart(), sentence.getEnd()));
            sentence.getCitationsList().forEach(each -> line.append(" <- " + each.getPassage() + ": "
                + passages.get(each.getPassage()).substring(each.getStart(), each.getEnd())));
            sentence.getUnsupportedList().forEach(each -> line.append(
                " (no support: " + text.substring(each.getStart(), each.getEnd()) + ")"));
            System.out.println("ground: " + line);
        }
    }

    // The code, the fields that cannot be used, and when to come back.
    static String explained(StatusRuntimeException failure) throws Exception {
        var parts = new ArrayList<>(List.of(failure.getStatus().getCode().toString()));
        for (Any detail : StatusProto.fromThrowable(failure).getDetailsList()) {
            if (detail.is(BadRequest.class)) {
                detail.unpack(BadRequest.class).getFieldViolationsList()
                    .forEach(each -> parts.add(each.getField()));
            } else if (detail.is(RetryInfo.class)) {
                var delay = detail.unpack(RetryInfo.class).getRetryDelay();
                parts.add("retry after " + Durations.toMillis(delay) + " ms");
            }
        }
        return String.join(" ", parts);
    }

    static String told(Callable<?> call) throws Exception {
        try {
            call.call();
            return "OK";
        } catch (StatusRuntimeException failure) {
            return explained(failure);
        }
    }

    void failures() throws Exception {
        var request = AlignRequest.newBuilder().setPair(pair).build();
        var unfit = request.toBuilder().setPair(unfit()).build();
        System.out.println("invalid: " + told(() -> stub().align(unfit)));
        System.out.println("deadline: " + told(
            () -> blocking.withDeadlineAfter(0, TimeUnit.SECONDS).align(request)));
        System.out.println("receive limit: " + told(
            () -> stub().withMaxInboundMessageSize(16).align(request)));
    }

    void balance() {
        for (int n = 0; n < 100; n++) stub().align(AlignRequest.newBuilder().setPair(pair).build());
        System.out.println("balance: 100 calls");
    }

    public static void main(String[] arguments) throws Exception {
        ManagedChannel channel = connect(arguments[0]);
        var client = new Client(channel, Pair.newBuilder()
            .setSource(sentence(arguments[1])).setTarget(sentence(arguments[2])).build());
        try {
            client.align();
            client.batchAlign();
            client.alignStream();
            client.rank();
            client.alignTexts();
            client.ground();
            client.failures();
            client.balance();
        } catch (StatusRuntimeException failure) {
            System.err.println(explained(failure));
            System.exit(1);
        } finally {
            channel.shutdownNow();
        }
    }
}
