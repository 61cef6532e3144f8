using System.Data.Common;
using Npgsql;
using static Poolhouse.Benchmarks.Bars.Queueing;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>Pools of two connections, for callers that stand in a queue.</summary>
internal static class DatabaseQueues
{
    internal readonly struct Raw : IQueuedPool<Lease<NpgsqlConnection>>
    {
        public static ValueTask<Lease<NpgsqlConnection>> RentAsync() => DatabasePools.FewRaw.RentAsync();

        public static void Return(Lease<NpgsqlConnection> held) => held.Dispose();
    }

    internal readonly struct Source : IQueuedPool<DbConnection>
    {
        public static ValueTask<DbConnection> RentAsync() => DatabasePools.FewOfPoolhouse.OpenConnectionAsync();

        public static void Return(DbConnection held) => held.Dispose();
    }

    internal readonly struct Provider : IQueuedPool<NpgsqlConnection>
    {
        public static ValueTask<NpgsqlConnection> RentAsync() => DatabasePools.FewOfNpgsql.OpenConnectionAsync();

        public static void Return(NpgsqlConnection held) => held.Dispose();
    }
}
