using System.Globalization;
using System.Text.RegularExpressions;

namespace Poolhouse.Tool.Servers.Tds.Sql;

/// <summary>A call of a procedure: from the client's message, or by <c>EXEC</c> in a batch.</summary>
/// <param name="Name">Without schema.</param>
/// <param name="Arguments">In order; the name is empty for one that is passed by position.</param>
internal sealed partial record SqlCall(string Name, IReadOnlyList<SqlCall.Argument> Arguments)
{
    private const byte Separator = 0xFF;

    /// <summary>Whether another call follows in the same message.</summary>
    public bool HasMore { get; private init; }

    /// <summary>The procedure, and the statement that it executes if there is one.</summary>
    public string Description => Arguments.Select(argument => argument.Value).OfType<string>().FirstOrDefault() is { } text
        ? $"{Name} {text}"
        : Name;

    public static SqlCall Read(TdsBytes bytes)
    {
        var length = bytes.UInt16();
        var name = length == 0xFFFF
            ? bytes.UInt16() switch
            {
                10 => "sp_executesql",
                11 => "sp_prepare",
                12 => "sp_execute",
                13 => "sp_prepexec",
                15 => "sp_unprepare",
                var id => throw TdsError.Unknown("procedure " + id.ToString(CultureInfo.InvariantCulture)),
            }
            : bytes.Text(length);
        bytes.UInt16();
        var arguments = new List<Argument>();
        while (!bytes.AtEnd && bytes.Next != Separator)
        {
            var argument = bytes.Text(bytes.Byte());
            var isOutput = (bytes.Byte() & 1) != 0;
            arguments.Add(new Argument(argument, bytes.Value(), isOutput));
        }

        var hasMore = !bytes.AtEnd && bytes.Byte() == Separator;
        return new SqlCall(name[(name.LastIndexOf('.') + 1)..].Trim('[', ']'), arguments) { HasMore = hasMore && !bytes.AtEnd };
    }

    /// <summary>Executes the procedure.</summary>
    /// <returns>Its status: 0 for success.</returns>
    public async Task<int> RunAsync(SqlSession session, TdsResponse response, CancellationToken cancellation)
    {
        var state = session.State;
        switch (Name.ToUpperInvariant())
        {
            case "SP_EXECUTESQL":
                await ExecuteAsync(session, response, Text(0), Text(1), 2, cancellation).ConfigureAwait(false);
                return 0;
            case "SP_PREPARE":
                response.Output(0, Arguments[0].Name, Prepare(state, Text(2), Text(1)));
                return 0;
            case "SP_PREPEXEC":
                var handle = Prepare(state, Text(2), Text(1));
                await ExecuteAsync(session, response, Text(2), Text(1), 3, cancellation).ConfigureAwait(false);
                response.Output(0, Arguments[0].Name, handle);
                return 0;
            case "SP_EXECUTE":
                var prepared = state.Prepared.GetValueOrDefault(Handle) ??
                    throw new TdsError(8179, $"Could not find prepared statement with handle {Handle}.");
                await ExecuteAsync(session, response, prepared.Text, prepared.Parameters, 1, cancellation).ConfigureAwait(false);
                return 0;
            case "SP_UNPREPARE":
                state.Prepared.Remove(Handle);
                return 0;
            case "SP_RESET_CONNECTION" when response.IsProcedure:
                session.Reset(keepsTransaction: false, response);
                return 0;
            case "SP_RESET_CONNECTION":
                throw new TdsError(208, "Invalid object name 'sp_reset_connection'.", endsBatch: true);
            case "SP_SET_SESSION_CONTEXT":
                state.Context[Text(0)] = Arguments[1].Value;
                return 0;
            case "SP_GETAPPLOCK":
                return session.TryLock(Text(0)) ? 0 : -1;
            case "SP_RELEASEAPPLOCK":
                return session.Unlock(Text(0)) ? 0 : -999;
            default:
                throw new TdsError(2812, $"Could not find stored procedure '{Name}'.", endsBatch: true);
        }
    }

    private static long Prepare(SessionState state, string text, string parameters)
    {
        state.Prepared[++state.LastPrepared] = new PreparedStatement(text, parameters);
        return state.LastPrepared;
    }

    private int Handle => Convert.ToInt32(Arguments[0].Value, CultureInfo.InvariantCulture);

    private string Text(int argument) =>
        argument < Arguments.Count ? Convert.ToString(Arguments[argument].Value, CultureInfo.InvariantCulture)! : "";

    private async Task ExecuteAsync(
        SqlSession session, TdsResponse response, string text, string declarations, int first, CancellationToken cancellation)
    {
        var names = ParameterName().Matches(declarations).Select(match => match.Value).ToList();
        var variables = new Dictionary<string, object?>(StringComparer.OrdinalIgnoreCase);
        for (var i = first; i < Arguments.Count; i++)
        {
            variables[NameOf(i)] = Arguments[i].Value;
        }

        await new SqlBatch(session, response, variables, cancellation).RunAsync(text).ConfigureAwait(false);
        for (var i = first; i < Arguments.Count; i++)
        {
            if (Arguments[i].IsOutput)
            {
                response.Output(i, Arguments[i].Name, variables[NameOf(i)]);
            }
        }

        string NameOf(int i) => Arguments[i].Name.Length > 0 ? Arguments[i].Name : names[i - first];
    }

    [GeneratedRegex(@"@\w+", RegexOptions.CultureInvariant, 1000)]
    private static partial Regex ParameterName();

    /// <summary>An argument; one of an output parameter may have no value.</summary>
    internal sealed record Argument(string Name, object? Value, bool IsOutput = false);
}
