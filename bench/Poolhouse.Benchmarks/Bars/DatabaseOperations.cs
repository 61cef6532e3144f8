using Poolhouse.Data;

namespace Poolhouse.Benchmarks.Bars;

internal readonly struct OpenPoolhouse : IOperation
{
    public static void Run(int pairs)
    {
        var source = DatabasePools.Poolhouse;
        for (var i = 0; i < pairs; i++)
        {
            using var connection = source.OpenConnection();
        }
    }
}

internal readonly struct OpenNpgsql : IOperation
{
    public static void Run(int pairs)
    {
        var source = DatabasePools.Npgsql;
        for (var i = 0; i < pairs; i++)
        {
            using var connection = source.OpenConnection();
        }
    }
}

internal readonly struct RentRaw : IOperation
{
    public static void Run(int pairs)
    {
        var pool = DatabasePools.Raw;
        for (var i = 0; i < pairs; i++)
        {
            using var lease = pool.Rent();
        }
    }
}

// No operation has to wait, so each asynchronous loop runs to its end on the calling thread without creating a task.
internal readonly struct OpenPoolhouseAsync : IOperation
{
    public static void Run(int pairs) => RunAsync(pairs).Wait();

    private static async Task RunAsync(int pairs)
    {
        var source = DatabasePools.Poolhouse;
        for (var i = 0; i < pairs; i++)
        {
            await using var connection = await source.OpenConnectionAsync();
        }
    }
}

internal readonly struct OpenNpgsqlAsync : IOperation
{
    public static void Run(int pairs) => RunAsync(pairs).Wait();

    private static async Task RunAsync(int pairs)
    {
        var source = DatabasePools.Npgsql;
        for (var i = 0; i < pairs; i++)
        {
            await using var connection = await source.OpenConnectionAsync();
        }
    }
}

internal readonly struct RentRawAsync : IOperation
{
    public static void Run(int pairs) => RunAsync(pairs).Wait();

    private static async Task RunAsync(int pairs)
    {
        var pool = DatabasePools.Raw;
        for (var i = 0; i < pairs; i++)
        {
            await using var lease = await pool.RentAsync();
        }
    }
}
