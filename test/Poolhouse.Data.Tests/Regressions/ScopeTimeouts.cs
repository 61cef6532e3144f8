using System.Data;
using System.Data.Common;
using System.Transactions;
using Dapper;
using MySqlConnector;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Regressions;

/// <summary>
/// npgsql#495, npgsql#5079, nhibernate-core#2685: after the timeout of a TransactionScope, further statements run outside of any
/// transaction, and their rows stay.
/// </summary>
public sealed class ScopeTimeouts(PostgresServer postgres, MariaDbServer mariaDb)
{
    public static TheoryData<string, bool> Executions
    {
        get
        {
            var data = new TheoryData<string, bool>();
            foreach (var execution in (string[])["NonQuery", "Scalar", "Reader", "Prepared", "Batch", "BatchReader", "Begin"])
            {
                data.Add(execution, true);
                data.Add(execution, false);
            }

            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Executions))]
    public async Task Npgsql_495_no_statement_runs_on_an_aborted_transaction_that_is_still_current(string execution, bool async)
    {
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, await postgres.CreateDatabaseAsync());
        await ExecuteAsync(source, "CREATE TABLE scoped (a int)");

        await AbortAsync(source, execution, async);

        await using var after = await source.OpenConnectionAsync();
        Assert.Equal(0, await after.ExecuteScalarAsync<int>("SELECT count(*) FROM scoped"));
    }

    [Theory]
    [InlineData("NonQuery", true)]
    [InlineData("Reader", false)]
    [InlineData("BatchReader", true)]
    public async Task On_MariaDB_no_statement_runs_on_it_either(string execution, bool async)
    {
        await using var source = PooledDataSource.Create(
            MySqlConnectorFactory.Instance,
            (await mariaDb.CreateDatabaseAsync()).Replace("Pooling=false;", "", StringComparison.Ordinal));
        await ExecuteAsync(source, "CREATE TABLE scoped (a int)");

        await AbortAsync(source, execution, async);

        await using var after = await source.OpenConnectionAsync();
        Assert.Equal(0, await after.ExecuteScalarAsync<int>("SELECT count(*) FROM scoped"));
    }

    [Fact]
    public async Task Npgsql_5079_no_row_of_a_loop_stays_that_runs_past_the_timeout()
    {
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, await postgres.CreateDatabaseAsync());
        await ExecuteAsync(source, "CREATE TABLE scoped (a int)");
        var aborted = 0;
        using (new TransactionScope(
            TransactionScopeOption.Required, TimeSpan.FromSeconds(1), TransactionScopeAsyncFlowOption.Enabled))
        {
            await using var connection = source.CreateConnection();
            var transaction = Transaction.Current!;
            for (var i = 0; i < 500 && aborted < 3; i++)
            {
                try
                {
                    if (connection.State is ConnectionState.Closed)
                    {
                        // On a busy machine, this may take longer than the timeout.
                        await connection.OpenAsync();
                    }

                    await connection.ExecuteAsync("INSERT INTO scoped SELECT 1 FROM pg_sleep(0.02)");
                }
                catch (TransactionAbortedException timeout)
                {
                    Assert.IsType<TimeoutException>(timeout.InnerException);
                    aborted++;
                }
                catch (DbException) when (transaction.TransactionInformation.Status is TransactionStatus.Aborted)
                {
                    // The statement that ran at the timeout: the provider cancels it.
                }
            }
        }

        await using var after = await source.OpenConnectionAsync();
        Assert.Equal(0, await after.ExecuteScalarAsync<int>("SELECT count(*) FROM scoped"));
    }

    [Fact]
    public async Task After_the_scope_the_connection_that_stayed_open_works_again()
    {
        await using var source = PooledDataSource.Create(NpgsqlFactory.Instance, await postgres.CreateDatabaseAsync());
        await using var connection = source.CreateConnection();
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await connection.OpenAsync();
            Transaction.Current!.Rollback();
            await Assert.ThrowsAsync<TransactionAbortedException>(() => connection.ExecuteAsync("SELECT 1"));
        }

        Assert.Equal(1, await connection.ExecuteScalarAsync<int>("SELECT 1"));
    }

    private static async Task AbortAsync(PooledDataSource source, string execution, bool async)
    {
        using (new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
        {
            await using var connection = await source.OpenConnectionAsync();
            await connection.ExecuteAsync("INSERT INTO scoped VALUES (1)");
            Transaction.Current!.Rollback();

            await Assert.ThrowsAsync<TransactionAbortedException>(() => UseAsync(connection, execution, async));
            await Assert.ThrowsAsync<TransactionAbortedException>(() => UseAsync(connection, execution, async));
        }
    }

#pragma warning disable VSTHRD103, CA1849 // Both kinds of calls are tested.
    private static async Task UseAsync(DbConnection connection, string execution, bool async)
    {
        const string Insert = "INSERT INTO scoped VALUES (1)";
        await using var command = connection.CreateCommand();
        command.CommandText = Insert;
        switch (execution)
        {
            case "NonQuery":
                _ = async ? await command.ExecuteNonQueryAsync() : command.ExecuteNonQuery();
                break;
            case "Scalar":
                _ = async ? await command.ExecuteScalarAsync() : command.ExecuteScalar();
                break;
            case "Reader":
                await (async ? await command.ExecuteReaderAsync() : command.ExecuteReader()).DisposeAsync();
                break;
            case "Prepared" when async:
                await command.PrepareAsync();
                break;
            case "Prepared":
                command.Prepare();
                break;
            case "Begin":
                await (async ? await connection.BeginTransactionAsync() : connection.BeginTransaction()).DisposeAsync();
                break;
            default:
                await using (var batch = connection.CreateBatch())
                {
                    var insert = batch.CreateBatchCommand();
                    insert.CommandText = Insert;
                    batch.BatchCommands.Add(insert);
                    if (execution is "BatchReader")
                    {
                        await (async ? await batch.ExecuteReaderAsync() : batch.ExecuteReader()).DisposeAsync();
                    }
                    else
                    {
                        _ = async ? await batch.ExecuteNonQueryAsync() : batch.ExecuteNonQuery();
                    }
                }

                break;
        }
    }
#pragma warning restore VSTHRD103, CA1849

    private static async Task ExecuteAsync(PooledDataSource source, string statement)
    {
        await using var connection = await source.OpenConnectionAsync();
        await connection.ExecuteAsync(statement);
    }
}
