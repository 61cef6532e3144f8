using System.CommandLine;
using System.Data.Common;
using System.Net.Sockets;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Cli;
using Spectre.Console;

namespace Poolhouse.Tool.Fleet;

/// <summary>The command <c>fleet</c>: the instances that share a server, or the arithmetic for more of them.</summary>
internal sealed class FleetCommand : Command
{
    private const int MostInstances = 10_000;
    private const int MostPlaces = 1_000_000;

    private readonly Option<string?> _connection = new("--connection")
    {
        Description = "The connection string of the server: any role of PostgreSQL; for MySQL and MariaDB, the user of the " +
            "instances, or one with the privilege PROCESS. Never shown.",
        HelpName = "CONNECTION",
    };

    private readonly Option<string> _provider = new Option<string>("--provider")
    {
        Description = "With --connection: npgsql for PostgreSQL, mysql for MySQL and MariaDB.",
        DefaultValueFactory = _ => FleetServer.Providers[0],
    }.AcceptOnlyFromAmong([.. FleetServer.Providers]);

    private readonly Option<int?> _simulate = new("--simulate")
    {
        Description = $"Show the shares of so many instances instead, 2 to {Units.Count(MostInstances)}; no server is needed.",
        HelpName = "INSTANCES",
    };

    private readonly Option<int> _places = new("--places")
    {
        Description = "With --simulate: the sessions that the server accepts.",
        HelpName = "N",
        DefaultValueFactory = _ => 200,
    };

    private readonly Option<int> _maxSize = new("--max-size")
    {
        Description = "With --simulate: the MaxSize of each instance.",
        HelpName = "N",
        DefaultValueFactory = _ => 20,
    };

    public FleetCommand(IAnsiConsole console)
        : base("fleet", "Show the instances that share a server: who holds sessions, who waits, and what to do.")
    {
        Add(_connection);
        Add(_provider);
        Add(_simulate);
        Add(_places);
        Add(_maxSize);
        SetAction((result, cancellation) => RunAsync(result, console, cancellation));
    }

    /// <exception cref="UsageException">An option is missing or out of range, or the server cannot be asked.</exception>
    private async Task<int> RunAsync(ParseResult result, IAnsiConsole console, CancellationToken cancellation)
    {
        var lines = result.GetValue(_simulate) is { } instances
            ? Simulate(instances, result.GetValue(_places), result.GetValue(_maxSize))
            : result.GetValue(_connection) is { } connection
                ? await ReadAsync(FleetServer.Of(result.GetRequiredValue(_provider)), connection, cancellation)
                    .ConfigureAwait(false)
            : throw new UsageException("Specify --connection for a server, or --simulate for the arithmetic.");
        foreach (var line in lines)
        {
            console.WriteLine(Printable.Of(line));
        }

        return ExitCode.Success;
    }

    private static IReadOnlyList<string> Simulate(int instances, int places, int maxSize)
    {
        Check("--simulate", instances, 2, MostInstances);
        Check("--places", places, 2, MostPlaces);
        Check("--max-size", maxSize, 1, MostPlaces);
        return FleetArithmetic.Describe(instances, places, maxSize);
    }

    private static void Check(string option, int value, int least, int most)
    {
        if (value < least || value > most)
        {
            throw new UsageException($"{option} {Units.Count(value)} is outside {Units.Count(least)} to {Units.Count(most)}.");
        }
    }

    private static async Task<IReadOnlyList<string>> ReadAsync(
        FleetServer server, string connection, CancellationToken cancellation)
    {
        try
        {
            var source = server.Open(connection);
            await using var _ = source.ConfigureAwait(false);
            return FleetReport.Describe(server, await server.ReadAsync(source, cancellation).ConfigureAwait(false));
        }
        catch (Exception exception) when (exception is ArgumentException or FormatException)
        {
#pragma warning disable MA0054 // Its message may contain a part of the connection string.
            throw new UsageException("--connection is not a connection string that the provider understands.");
#pragma warning restore MA0054
        }
        catch (Exception exception) when (exception is DbException or TimeoutException or SocketException)
        {
            throw new UsageException($"--connection: the server cannot be asked ({DatabaseErrors.Of(exception)}).", exception);
        }
    }
}
