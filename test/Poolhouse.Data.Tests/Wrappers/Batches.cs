using System.Data.Common;
using System.Diagnostics.Metrics;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>Batches of a data source, which open and close by themselves.</summary>
public sealed class Batches(PostgresServer server)
{
    [Theory]
    [InlineData("reader")]
    [InlineData("scalar")]
    [InlineData("non-query")]
    public async Task A_token_cancelled_between_the_opening_and_the_execution_leaves_no_connection_leased(string execution)
    {
        using var meter = new Meter("batches");
        using var cancellation = new CancellationTokenSource();
        var options = new DbPoolOptions();
        options.Pool.Meter = meter;
        await using var source =
            PooledDataSource.Create(NpgsqlFactory.Instance, await server.GetConnectionStringAsync(), options);
        await using (await source.OpenConnectionAsync())
        {
            // Idle from here on: it is given at once.
        }

        // The wait is measured when the connection was given.
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listening) =>
            {
                if (instrument.Meter == meter && instrument.Name is "db.client.connection.wait_time")
                {
                    listening.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((_, _, _, _) => cancellation.Cancel());
        listener.Start();
        await using var batch = source.CreateBatch();
        var command = batch.CreateBatchCommand();
        command.CommandText = "SELECT 1";
        batch.BatchCommands.Add(command);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ExecuteAsync(batch, execution, cancellation.Token));
        Assert.True(cancellation.IsCancellationRequested);
        Assert.Equal(0, source.GetStatistics().Leased);
    }

    private static async Task ExecuteAsync(DbBatch batch, string execution, CancellationToken cancellationToken) =>
        _ = execution switch
        {
            "reader" => await batch.ExecuteReaderAsync(cancellationToken),
            "scalar" => await batch.ExecuteScalarAsync(cancellationToken),
            _ => (object)await batch.ExecuteNonQueryAsync(cancellationToken),
        };
}
