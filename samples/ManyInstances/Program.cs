using System.Data.Common;
using System.Diagnostics;
using MySqlConnector;
using Npgsql;
using Poolhouse.Data;

// One of many instances of a service. Start it several times: all share the sessions that the server allows its user.
// The connection string is in the environment, because a command line can be read by every account of the machine.
if (Environment.GetEnvironmentVariable("ORDERS_CONNECTION") is not { } connectionString)
{
    Console.WriteLine("Set ORDERS_CONNECTION to the connection string of a PostgreSQL server, or with --mysql of a MySQL server.");
    return;
}

DbProviderFactory factory = args.Contains("--mysql") ? MySqlConnectorFactory.Instance : NpgsqlFactory.Instance;

// snippet: many-instances
var options = new DbPoolOptions();
options.Pool.MaxSize = 20;
options.Pool.Budget = ServerBudget.Join(factory, connectionString, "orders");
await using var source = PooledDataSource.Create(factory, connectionString, options);
// end snippet

using var stop = new CancellationTokenSource();
Console.CancelKeyPress += (_, pressed) =>
{
    pressed.Cancel = true;
    stop.Cancel();
};

// Standard input ends with the program that has started this one.
_ = Task.Run(() =>
{
    while (Console.ReadLine() is not null)
    {
    }

    stop.Cancel();
});

var started = Stopwatch.GetTimestamp();
var served = 0;
var callers = Enumerable.Range(0, 8).Select(_ => Task.Run(async () =>
{
    while (!stop.IsCancellationRequested)
    {
        try
        {
            await using var connection = await source.OpenConnectionAsync(stop.Token);
            if (Interlocked.Increment(ref served) == 1)
            {
                Console.WriteLine($"first after {Stopwatch.GetElapsedTime(started).TotalMilliseconds:0} ms");
            }

            await using var command = connection.CreateCommand();
            command.CommandText = "SELECT 1";
            await command.ExecuteScalarAsync(stop.Token);
            await Task.Delay(50, stop.Token);
        }
        catch (OperationCanceledException)
        {
            // Stopped.
        }
        catch (DbException failure)
        {
            Console.WriteLine($"failed: {failure.GetType().Name} {failure.SqlState} {failure.Message}");
        }
    }
}));
await Task.WhenAll(callers);
Console.WriteLine($"served {served}");
