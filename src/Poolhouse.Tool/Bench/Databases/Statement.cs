using System.Data.Common;

namespace Poolhouse.Tool.Bench.Databases;

/// <summary>One query, run to the end of its last result.</summary>
internal static class Statement
{
    public static void Run(DbConnection connection, string query)
    {
        using var command = connection.CreateCommand();
#pragma warning disable CA2100 // The query is a constant, or the one that the user wants to measure.
        command.CommandText = query;
#pragma warning restore CA2100
        using var reader = command.ExecuteReader();
        do
        {
            while (reader.Read())
            {
                reader.GetValue(0);
            }
        }
        while (reader.NextResult());
    }

    public static async Task RunAsync(DbConnection connection, string query, CancellationToken cancellation)
    {
        var command = connection.CreateCommand();
        await using var _ = command.ConfigureAwait(false);
#pragma warning disable CA2100 // The query is a constant, or the one that the user wants to measure.
        command.CommandText = query;
#pragma warning restore CA2100
        var reader = await command.ExecuteReaderAsync(cancellation).ConfigureAwait(false);
        await using var __ = reader.ConfigureAwait(false);
        do
        {
            while (await reader.ReadAsync(cancellation).ConfigureAwait(false))
            {
                reader.GetValue(0);
            }
        }
        while (await reader.NextResultAsync(cancellation).ConfigureAwait(false));
    }
}
