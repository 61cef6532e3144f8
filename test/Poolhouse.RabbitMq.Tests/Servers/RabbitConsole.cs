using System.Diagnostics;
using Poolhouse.Tool.Servers;

namespace Poolhouse.RabbitMq.Tests.Servers;

/// <summary>Has a server evaluate expressions of Erlang. One at a time.</summary>
// As rabbitmqctl does, each call of which takes seconds, because it starts another runtime.
internal sealed class RabbitConsole : IDisposable
{
    private const string EndOfAnswer = "-";

    private readonly Process _process;

    /// <param name="folder">The current folder of the program.</param>
    /// <param name="node">The name of the server's node.</param>
    /// <param name="command">Starts erl, with what it needs to find the node and its cookie.</param>
    public RabbitConsole(string folder, string node, IReadOnlyList<string> command)
    {
        var loop =
            $$"""
            Loop = fun Loop() ->
                case io:get_line("") of
                    eof -> halt();
                    Line ->
                        {ok, Tokens, _} = erl_scan:string(Line),
                        {ok, Parsed} = erl_parse:parse_exprs(Tokens),
                        {value, Rows, _} = rpc:call('{{node}}', erl_eval, exprs, [Parsed, []]),
                        [io:format("~ts~n", [lists:join("\t", [io_lib:format("~0tp", [Field]) || Field <- Row])]) || Row <- Rows],
                        io:format("{{EndOfAnswer}}~n"),
                        Loop()
                end
            end,
            Loop().
            """;
        var start = ServerCommand.StartInfo(folder, [.. command, "-noshell", "-eval", loop]);
        (start.RedirectStandardInput, start.RedirectStandardOutput) = (true, true);
        _process = Process.Start(start)!;
    }

    /// <summary>Evaluates an expression.</summary>
    /// <param name="expression">Its value is a list of rows, which are lists of values.</param>
    /// <param name="cancellationToken">Ends the wait for the answer.</param>
    /// <returns>The rows; the values of each are separated by tabs.</returns>
    public async Task<IReadOnlyList<string>> EvaluateAsync(string expression, CancellationToken cancellationToken)
    {
        await _process.StandardInput.WriteLineAsync($"{expression}.".AsMemory(), cancellationToken);
        await _process.StandardInput.FlushAsync(cancellationToken);
        var rows = new List<string>();
        while (await _process.StandardOutput.ReadLineAsync(cancellationToken) is var row and not EndOfAnswer)
        {
            rows.Add(row ?? throw new InvalidOperationException(
                $"The console ended at '{expression}':\n{string.Join('\n', rows)}"));
        }

        return rows;
    }

    /// <summary>Ends the program, as the end of its input does.</summary>
    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }
}
