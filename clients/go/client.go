// Every kind of call to a tokalign server, from Go.
// Usage: client ADDRESS SOURCE TARGET
// ADDRESS is HOST:PORT, or HOST:PORT,HOST:PORT to balance over several. From the environment:
// CA (PEM file of who signed the server's certificate: speaks TLS), TOKEN, SERVICE_CONFIG
// (deploy/service_config.json).
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/health" // for the service config's health checks
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"
	pb "tokalign/v1"
)

// quick start
type bearer string

func (token bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(token)}, nil
}
func (bearer) RequireTransportSecurity() bool { return true }

func connect(address string) (*grpc.ClientConn, error) {
	config, err := os.ReadFile(os.Getenv("SERVICE_CONFIG")) // retries, balancing
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{
		grpc.WithDefaultServiceConfig(string(config)),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(32 << 20)),
	}
	if ca := os.Getenv("CA"); ca == "" {
		options = append(options, grpc.WithInsecure())
	} else if tls, err := credentials.NewClientTLSFromFile(ca, ""); err != nil {
		return nil, err
	} else {
		options = append(options, grpc.WithTransportCredentials(tls))
	}
	if token := os.Getenv("TOKEN"); token != "" {
		options = append(options, grpc.WithPerRPCCredentials(bearer(token)))
	}
	if !strings.Contains(address, ",") { // a name may stand for several addresses
		return grpc.Dial("dns:///"+address, options...)
	}
	list := manual.NewBuilderWithScheme("list")
	var state resolver.State
	for _, each := range strings.Split(address, ",") {
		state.Addresses = append(state.Addresses, resolver.Address{Addr: each})
	}
	list.InitialState(state)
	return grpc.Dial("list:///tokalign", append(options, grpc.WithResolvers(list))...)
}

// Offsets by bytes of UTF-8, which Go's strings are sliced by.
var options = &pb.AlignOptions{Offsets: pb.OffsetUnit_OFFSET_UNIT_UTF8_BYTES, Relations: true}

// Of each kind of relation by its number; the first where there is none, "?" for a newer server's.
var signs = []string{"-", "=", "<", ">", "≈", "~", "!", "≠"}

func word(in *pb.Sentence, index uint32) string { return in.Text[in.Starts[index]:in.Ends[index]] }

func align(client pb.AlignServiceClient, pair *pb.Pair) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	answer, err := client.Align(ctx, &pb.AlignRequest{Pair: pair, Options: options})
	if err != nil {
		return err
	}
	alignment, links := answer.Alignment, []string{}
	for n, s := range alignment.SourceIndices {
		t, sign := alignment.TargetIndices[n], signs[0]
		if n < len(alignment.Relations) {
			sign = "?"
			if kind := uint(alignment.Relations[n]); kind < uint(len(signs)) {
				sign = signs[kind]
			}
		}
		links = append(links, word(alignment.Source, s)+sign+word(alignment.Target, t))
	}
	fmt.Println("align:", strings.Join(links, " "))
	return nil
}

// end of quick start

func sentence(text string) *pb.Sentence { return &pb.Sentence{Text: text} }

func batchAlign(ctx context.Context, client pb.AlignServiceClient, pair *pb.Pair) error {
	pairs := []*pb.Pair{pair, {Source: pair.Source, Target: sentence("")}}
	answer, err := client.BatchAlign(ctx, &pb.BatchAlignRequest{Pairs: pairs, Options: options})
	if err != nil {
		return err
	}
	var shown []string
	for _, result := range answer.Results {
		if failed := result.Status; failed.GetCode() != 0 {
			shown = append(shown, code.Code(failed.Code).String()+" "+failed.Field)
		} else {
			shown = append(shown, fmt.Sprint(len(result.Alignment.SourceIndices), " links"))
		}
	}
	fmt.Println("batch:", strings.Join(shown, ", "))
	return nil
}

// Answers are read while chunks are written; they may overtake one another.
func alignStream(ctx context.Context, client pb.AlignServiceClient, pair *pb.Pair) error {
	stream, err := client.AlignStream(ctx)
	if err != nil {
		return err
	}
	go func() {
		for chunk := 0; chunk < 10; chunk++ {
			request := &pb.AlignStreamRequest{ChunkId: fmt.Sprint(chunk), Pairs: []*pb.Pair{pair, pair}}
			if stream.Send(request) != nil {
				return // the stream has ended; Recv says why
			}
		}
		stream.CloseSend()
	}()
	seen, links := map[string]bool{}, 0
	for {
		answer, err := stream.Recv()
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		} else if failed := answer.Status; failed.GetCode() != 0 {
			return status.Error(codes.Code(failed.Code), failed.Message)
		}
		seen[answer.ChunkId] = true
		for _, result := range answer.Results {
			links += len(result.Alignment.SourceIndices)
		}
	}
	fmt.Printf("stream: %d chunks, %d links\n", len(seen), links)
	return nil
}

func rank(ctx context.Context, client pb.AlignServiceClient, _ *pb.Pair) error {
	request := &pb.RankRequest{Question: sentence("Who founded the bakery?")}
	for _, text := range []string{"It rains.", "Marta founded the bakery."} {
		request.Candidates = append(request.Candidates, &pb.Candidate{Sentence: sentence(text)})
	}
	answer, err := client.Rank(ctx, request)
	if err != nil {
		return err
	}
	var shown []string
	for _, each := range answer.Ranking {
		shown = append(shown, fmt.Sprintf("%d %.2f", each.Index, each.GetJudgement().GetScore()))
	}
	fmt.Println("rank:", strings.Join(shown, ", "))
	return nil
}

// The text from the first of a block's sentences to the last one.
func part(text string, sentences []*pb.TextSentence, numbers []uint32) string {
	if len(numbers) == 0 {
		return "(none)"
	}
	return text[sentences[numbers[0]].Start:sentences[numbers[len(numbers)-1]].End]
}

func alignTexts(ctx context.Context, client pb.AlignServiceClient, _ *pb.Pair) error {
	request := &pb.AlignTextsRequest{
		OldText: "It rains. Marta sells 🥐 and bakes bread. Nobody came.",
		NewText: "Marta sells 🥐. She bakes bread. It rains. Dogs bark.",
		Options: options,
	}
	answer, err := client.AlignTexts(ctx, request)
	if err != nil {
		return err
	}
	for _, block := range answer.Blocks {
		old := part(request.OldText, answer.OldSentences, block.OldSentences)
		now := part(request.NewText, answer.NewSentences, block.NewSentences)
		moved := ""
		if block.Moved {
			moved = " (moved)"
		}
		fmt.Printf("texts: %s -> %s%s\n", old, now, moved)
	}
	return nil
}

// What supports each sentence of an answer, and the words that have no support.
func ground(ctx context.Context, client pb.AlignServiceClient, _ *pb.Pair) error {
	request := &pb.GroundRequest{
		Answer:   "Marta sells 🥐 in Paris. She opened the bakery in 1894.",
		Passages: []*pb.SourcePassage{{Id: "town", Text: "🥐 are sold by Marta. The bakery opened in 1987."}},
		Options:  &pb.GroundOptions{Offsets: options.Offsets},
	}
	texts := map[string]string{}
	for _, passage := range request.Passages {
		texts[passage.Id] = passage.Text
	}
	answer, err := client.Ground(ctx, request)
	if err != nil {
		return err
	}
	for _, sentence := range answer.Sentences {
		line := request.Answer[sentence.Start:sentence.End]
		for _, each := range sentence.Citations {
			line += " <- " + each.Passage + ": " + texts[each.Passage][each.Start:each.End]
		}
		for _, each := range sentence.Unsupported {
			line += " (no support: " + request.Answer[each.Start:each.End] + ")"
		}
		fmt.Println("ground:", line)
	}
	return nil
}

// The code, the fields that cannot be used, and when to come back.
func explained(err error) string {
	failure := status.Convert(err)
	parts := []string{code.Code(failure.Code()).String()}
	for _, detail := range failure.Details() {
		switch detail := detail.(type) {
		case *errdetails.BadRequest:
			for _, violation := range detail.FieldViolations {
				parts = append(parts, violation.Field)
			}
		case *errdetails.RetryInfo:
			delay := detail.RetryDelay.Seconds*1000 + int64(detail.RetryDelay.Nanos)/1e6
			parts = append(parts, fmt.Sprintf("retry after %d ms", delay))
		}
	}
	return strings.Join(parts, " ")
}

func failures(ctx context.Context, client pb.AlignServiceClient, pair *pb.Pair) error {
	_, err := client.Align(ctx, &pb.AlignRequest{Pair: &pb.Pair{Source: pair.Source, Target: sentence("")}})
	fmt.Println("invalid:", explained(err))
	over, cancel := context.WithTimeout(ctx, 0)
	defer cancel()
	_, err = client.Align(over, &pb.AlignRequest{Pair: pair})
	fmt.Println("deadline:", explained(err))
	_, err = client.Align(ctx, &pb.AlignRequest{Pair: pair}, grpc.MaxCallRecvMsgSize(16))
	fmt.Println("receive limit:", explained(err))
	return nil
}

func balance(ctx context.Context, client pb.AlignServiceClient, pair *pb.Pair) error {
	for n := 0; n < 100; n++ {
		if _, err := client.Align(ctx, &pb.AlignRequest{Pair: pair}); err != nil {
			return err
		}
	}
	fmt.Println("balance: 100 calls")
	return nil
}

func main() {
	log.SetFlags(0)
	connection, err := connect(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	client := pb.NewAlignServiceClient(connection)
	pair := &pb.Pair{Source: sentence(os.Args[2]), Target: sentence(os.Args[3])}
	err = align(client, pair)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	type kind func(context.Context, pb.AlignServiceClient, *pb.Pair) error
	for _, next := range []kind{batchAlign, alignStream, rank, alignTexts, ground, failures, balance} {
		if err == nil {
			err = next(ctx, client, pair)
		}
	}
	if err != nil {
		log.Fatal(explained(err))
	}
}
