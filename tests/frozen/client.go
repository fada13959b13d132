// Makes the calls of calls.json by generated code of the contract as it was frozen, and prints the
// answers as JSON; the twin of client.py.
// Usage: client ADDRESS CALLS
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/golang/protobuf/jsonpb"
	"github.com/golang/protobuf/proto"
	"google.golang.org/grpc"
	_ "frozen/tokalign/v1"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func message(name string) proto.Message {
	return reflect.New(proto.MessageType("tokalign.v1." + name).Elem()).Interface().(proto.Message)
}

func answers(channel *grpc.ClientConn, method string, requests []json.RawMessage) []json.RawMessage {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	isStream := strings.HasSuffix(method, "Stream")
	description := grpc.StreamDesc{ClientStreams: isStream, ServerStreams: isStream}
	stream, err := channel.NewStream(ctx, &description, "/tokalign.v1.AlignService/"+method)
	check(err)
	for _, each := range requests {
		request := message(method + "Request")
		check(jsonpb.UnmarshalString(string(each), request))
		check(stream.SendMsg(request))
	}
	check(stream.CloseSend())
	found := []json.RawMessage{}
	for {
		answer := message(method + "Response")
		if err := stream.RecvMsg(answer); err == io.EOF {
			return found
		} else {
			check(err)
		}
		text, err := (&jsonpb.Marshaler{OrigName: true}).MarshalToString(answer)
		check(err)
		found = append(found, json.RawMessage(text))
		if !isStream {
			return found
		}
	}
}

func main() {
	channel, err := grpc.Dial(os.Args[1], grpc.WithInsecure(), grpc.WithBlock())
	check(err)
	text, err := os.ReadFile(os.Args[2])
	check(err)
	var calls [][]json.RawMessage
	check(json.Unmarshal(text, &calls))
	all := [][]json.RawMessage{}
	for _, call := range calls {
		var method string
		check(json.Unmarshal(call[0], &method))
		var requests []json.RawMessage
		check(json.Unmarshal(call[1], &requests))
		all = append(all, answers(channel, method, requests))
	}
	check(json.NewEncoder(os.Stdout).Encode(all))
}
