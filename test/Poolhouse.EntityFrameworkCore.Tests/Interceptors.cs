using System.Data.Common;
using System.Net.Security;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;
using Npgsql;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.EntityFrameworkCore.Tests;

/// <summary>
/// Interceptors of the application work as with the provider's own pool, or are refused: none is without effect in silence.
/// </summary>
public sealed class Interceptors(PostgresServer server)
{
    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task An_interceptor_that_changes_the_connection_before_it_opens_is_rejected_each_time(
        bool isAsync, bool isString)
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open(provider: null, new Changing(isString));
        for (var i = 0; i < 3; i++)
        {
            var refusal = isAsync
                ? await Assert.ThrowsAsync<InvalidOperationException>(() => shop.Orders.CountAsync())
                : Assert.Throws<InvalidOperationException>(() => shop.Orders.Count());
            Assert.Contains(
                isString ? "ConnectionString" : "SslClientAuthenticationOptionsCallback", refusal.Message,
                StringComparison.Ordinal);
            Assert.DoesNotContain("hidden", refusal.Message, StringComparison.Ordinal);
        }

        Assert.Equal(0, database.Leased);
    }

    [Fact]
    public async Task An_interceptor_that_changes_the_connection_works_with_the_providers_pool()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        var changing = new Changing(isString: true);
        await using var shop = database.Open(provider: null, changing);

        Assert.True(await shop.Database.CanConnectAsync());

        Assert.True(changing.Calls > 0);
    }

    [Fact]
    public async Task An_interceptor_that_only_observes_is_accepted()
    {
        await using var database = await ShopDatabase.CreateAsync(server);
        await using var shop = database.Open(provider: null, new Setting());

        Assert.Equal(
            "1234ms",
            await shop.Database.SqlQueryRaw<string>("SELECT current_setting('statement_timeout') AS \"Value\"").SingleAsync());
        Assert.Equal(0, database.Leased);
    }

    private sealed class Changing(bool isString) : DbConnectionInterceptor
    {
        public int Calls { get; private set; }

        public override InterceptionResult ConnectionOpening(
            DbConnection connection, ConnectionEventData eventData, InterceptionResult result)
        {
            Calls++;
            if (isString)
            {
                connection.ConnectionString += ";Application Name=hidden";
            }
            else
            {
                ((NpgsqlConnection)connection).SslClientAuthenticationOptionsCallback =
                    static (SslClientAuthenticationOptions _) => { };
            }

            return result;
        }

        public override ValueTask<InterceptionResult> ConnectionOpeningAsync(
            DbConnection connection, ConnectionEventData eventData, InterceptionResult result,
            CancellationToken cancellationToken = default) =>
            new(ConnectionOpening(connection, eventData, result));
    }

    private sealed class Setting : DbConnectionInterceptor
    {
        public override async Task ConnectionOpenedAsync(
            DbConnection connection, ConnectionEndEventData eventData, CancellationToken cancellationToken = default)
        {
            await using var command = connection.CreateCommand();
            command.CommandText = "SET statement_timeout = 1234";
            await command.ExecuteNonQueryAsync(cancellationToken);
        }
    }
}
