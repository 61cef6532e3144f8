using System.Data.Common;
using Npgsql;
using Poolhouse.Data;

namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>
/// A process of a fleet: callers that use connections of a pool until the standard input ends. Not a command for users.
/// </summary>
internal static class FleetMember
{
    public const string Verb = "fleet-member";
    public const string BudgetName = "bench";

    // Not arguments, which every account of the machine can read.
    public const string PoolVariable = "POOLHOUSE_FLEET_POOL";
    public const string BudgetVariable = "POOLHOUSE_FLEET_BUDGET";

    // The lines that it writes.
    public const string Trying = "trying";
    public const string First = "first";
    public const string Refused = "refused";
    public const string Failed = "failed";
    public const string Served = "served";

    private static readonly TimeSpan _use = TimeSpan.FromMilliseconds(50);

    /// <summary>Runs until the program that has started this one closes the input, or ends.</summary>
    /// <param name="rival">Whose pool it uses.</param>
    public static async Task RunAsync(string rival)
    {
        var source = Open(
            rival, Environment.GetEnvironmentVariable(PoolVariable)!, Environment.GetEnvironmentVariable(BudgetVariable)!);
        await using var _ = source.ConfigureAwait(false);
        using var stop = new CancellationTokenSource();
        var input = Task.Run(async () =>
        {
            while (await Console.In.ReadLineAsync(CancellationToken.None).ConfigureAwait(false) is not null)
            {
            }

            await stop.CancelAsync().ConfigureAwait(false);
        });
        Report(Trying);
        var served = await Task.WhenAll(Enumerable.Range(0, FleetPlan.Callers).Select(_ => CallAsync(source, stop.Token)))
            .ConfigureAwait(false);
        Report($"{Served} {served.Sum()}");
        await input.ConfigureAwait(false);
    }

    private static DbDataSource Open(string rival, string pool, string budget)
    {
        if (rival != RivalNames.Poolhouse)
        {
            return NpgsqlDataSource.Create(pool);
        }

        var options = new DbPoolOptions();
        options.Pool.MaxSize = FleetPlan.Callers;
        options.Pool.Budget = ServerBudget.Join(NpgsqlFactory.Instance, budget, BudgetName);
        return PooledDataSource.Create(NpgsqlFactory.Instance, pool, options);
    }

    private static async Task<int> CallAsync(DbDataSource source, CancellationToken stop)
    {
        var served = 0;
        while (!stop.IsCancellationRequested)
        {
            try
            {
                await UseAsync(source, stop).ConfigureAwait(false);
                if (++served == 1)
                {
                    Report(First);
                }
            }
            catch (OperationCanceledException)
            {
                // Stopped.
            }
            catch (Exception failure) when (failure is DbException or TimeoutException or IOException)
            {
                Report(IsRefusal(failure) ? Refused : $"{Failed} {failure.GetType().Name}");
                await WaitAsync(CancellationToken.None).ConfigureAwait(false);
            }
        }

        return served;
    }

    private static async Task UseAsync(DbDataSource source, CancellationToken stop)
    {
        var connection = await source.OpenConnectionAsync(stop).ConfigureAwait(false);
        await using var _ = connection.ConfigureAwait(false);
        var command = connection.CreateCommand();
        await using var __ = command.ConfigureAwait(false);
        command.CommandText = "SELECT 1";
        await command.ExecuteScalarAsync(stop).ConfigureAwait(false);
        await WaitAsync(stop).ConfigureAwait(false);
    }

    // Whatever the pool throws, that there was no place is the reason.
    private static bool IsRefusal(Exception failure) =>
        failure is PostgresException { SqlState: PostgresErrorCodes.TooManyConnections }
            or IPoolException { Condition: PoolCondition.NoRoom }
        || (failure.InnerException is { } inner && IsRefusal(inner));

    private static void Report(string line) => Console.WriteLine(line);

    private static Task WaitAsync(CancellationToken stop) => Task.Delay(_use, stop);
}
