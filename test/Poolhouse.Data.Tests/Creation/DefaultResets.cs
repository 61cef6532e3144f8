using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data.Opening;
using Poolhouse.Data.Providers;
using Poolhouse.Data.Providers.Resets;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>Which reset a pool uses by default (ADR 0014). Null: the one for the provider's connection type.</summary>
public sealed class DefaultResets
{
    [Fact]
    public void Npgsql_with_a_string_resets_along_with_the_next_command() =>
        Assert.Same(SessionReset.Provider, ResetOf(NpgsqlFactory.Instance, "Host=h"));

    [Fact]
    public void Unpooled_connections_are_not_reset_and_create_no_provider_pool()
    {
        Assert.Same(SessionReset.None, ResetOf(NpgsqlFactory.Instance, "Host=h;Pooling=false"));
        Assert.Same(
            SessionReset.None,
            ResetOf(NpgsqlFactory.Instance, "Host=h;Pooling=false", new DbPoolOptions { Reset = SessionReset.Provider }));
    }

    [Theory]
    [InlineData("Host=a,b")]
    [InlineData("Host=a, b;Load Balance Hosts=true;Target Session Attributes=any")]
    [InlineData("Server=a:1,b:2;Target Session Attributes=Read-Write")]
    [InlineData("Host=a,b;Target Session Attributes=primary")]
    [InlineData("Host=a,b;Target Session Attributes=prefer-standby")]
    [InlineData("Host=a,b;Target Session Attributes=standby")]
    [InlineData("Host=a,b;Target Session Attributes=Read-Only")]
    public void Npgsql_with_several_hosts_resets_along_with_the_next_command(string connectionString) =>
        Assert.Same(SessionReset.Provider, ResetOf(NpgsqlFactory.Instance, connectionString));

    [Fact]
    public void Npgsql_with_hosts_that_only_it_can_choose_uses_the_reset_of_the_connection_type()
    {
        const string connectionString = "Host=a,b;Target Session Attributes=prefer-primary";
        Assert.Null(ResetOf(NpgsqlFactory.Instance, connectionString));
        var failure = Assert.Throws<ArgumentException>(
            () => ResetOf(NpgsqlFactory.Instance, connectionString, new DbPoolOptions { Reset = SessionReset.Provider }));
        Assert.StartsWith("Reset is SessionReset.Provider", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Npgsql_with_changing_credentials_resets_along_with_the_next_command() => Assert.Same(
        SessionReset.Provider,
        ResetOf(NpgsqlFactory.Instance, "Host=h", new DbPoolOptions { Credentials = _ => default }));

    [Fact]
    public void For_another_provider_the_reset_of_its_connection_type_is_used()
    {
        using var sqlite = new SqliteConnection("Data Source=file.db");
        using var memory = new SqliteConnection("Data Source=:memory:");

        Assert.Null(ResetOf(SqliteFactory.Instance, "Data Source=:memory:"));
        Assert.Same(SessionReset.Sqlite, DbProviderProfile.For(typeof(SqliteConnection)).GetReset(sqlite));
        Assert.IsType<DiscardReset>(DbProviderProfile.For(typeof(SqliteConnection)).GetReset(memory));
    }

    [Fact]
    public void An_explicit_reset_is_used() => Assert.Same(
        SessionReset.PostgreSql,
        ResetOf(NpgsqlFactory.Instance, "Host=h", new DbPoolOptions { Reset = SessionReset.PostgreSql }));

    private static SessionReset? ResetOf(
        System.Data.Common.DbProviderFactory factory, string connectionString, DbPoolOptions? options = null)
    {
        var supply = ConnectionSourceSettings.Of(factory, PoolKeywords.Of(connectionString), options);
        supply.Opener.Release();
        return supply.Options.Reset;
    }
}
