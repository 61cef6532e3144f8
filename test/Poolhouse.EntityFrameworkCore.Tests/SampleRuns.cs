using Poolhouse.Data.Tests.Servers;
using Poolhouse.TestSupport;

namespace Poolhouse.EntityFrameworkCore.Tests;

public sealed class SampleRuns(PostgresServer server)
{
    [Fact]
    public async Task EfCoreApp_rents_at_most_four_connections_for_forty_callers()
    {
        var lines = await RunAsync(await server.GetConnectionStringAsync());

        // Four is the limit. Fewer are enough on a machine that takes longer to open a connection than to save the notes of those
        // who wait.
        Assert.Matches("^40 notes over [1-4] connections[.]$", lines[0]);
        Assert.Equal(["11 notes after a transaction.", "12 notes after a copy.", "0 leased."], lines.Skip(1));
    }

    [Fact]
    public async Task EfCoreApp_without_a_server_reports_it() =>
        Assert.StartsWith("Skipped: ", (await RunAsync())[0], StringComparison.Ordinal);

    private static Task<IReadOnlyList<string>> RunAsync(params IReadOnlyList<string> arguments) =>
        SampleProcess.RunAsync("EfCoreApp", arguments);
}
