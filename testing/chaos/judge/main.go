// Judge checks whether a history of operations on registers is linearizable: whether the operations
// could have happened in sequence, each at a moment between its begin and its end.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

// An operation, from one line of the file. End is 0 if the outcome is unknown.
type operation struct {
	Client   int    `json:"client"`
	Register string `json:"register"`
	Kind     string `json:"kind"` // read, write, swap (if the value was expected), taken (the value was not 0)
	Expected int64  `json:"expected"`
	Value    int64  `json:"value"`
	Begin    int64  `json:"begin"`
	End      int64  `json:"end"`
}

var registers = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		parts := map[string][]porcupine.Operation{}
		for _, each := range history {
			name := each.Input.(operation).Register
			parts[name] = append(parts[name], each)
		}
		var all [][]porcupine.Operation
		for _, part := range parts {
			all = append(all, part)
		}
		return all
	},
	Init: func() interface{} { return int64(0) },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		held, op := state.(int64), input.(operation)
		switch op.Kind {
		case "read":
			return held == op.Value, held
		case "taken":
			return held != 0, held
		case "write":
			return true, op.Value
		case "swap":
			if held == op.Expected {
				return true, op.Value
			}
			return op.End == 0, held // an unknown operation may have had no effect
		}
		panic("no such kind: " + op.Kind)
	},
}

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: judge FILE"))
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		fail(err)
	}
	var history []porcupine.Operation
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var op operation
		if err := json.Unmarshal(lines.Bytes(), &op); err != nil {
			fail(err)
		}
		end := op.End
		if end == 0 {
			end = math.MaxInt64
		}
		history = append(history, porcupine.Operation{
			ClientId: op.Client, Input: op, Call: op.Begin, Output: op.Value, Return: end,
		})
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
	switch porcupine.CheckOperationsTimeout(registers, history, 2*time.Minute) {
	case porcupine.Ok:
		fmt.Printf("linearizable: %d operations\n", len(history))
	case porcupine.Illegal:
		fmt.Printf("not linearizable: %d operations\n", len(history))
		os.Exit(1)
	default:
		fail(fmt.Errorf("not decided within two minutes: %d operations", len(history)))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "judge:", err)
	os.Exit(2)
}
