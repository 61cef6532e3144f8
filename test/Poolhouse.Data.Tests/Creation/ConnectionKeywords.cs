using MySqlConnector;
using Npgsql;
using Poolhouse.Data.Providers;
using Poolhouse.Data.Tests.Fakes;

namespace Poolhouse.Data.Tests.Creation;

/// <summary>The pooling keywords of connection strings, in the spellings of the providers.</summary>
public sealed class ConnectionKeywords
{
    [Theory]
    [InlineData("Maximum Pool Size=7")]
    [InlineData("Max Pool Size=7")]
    [InlineData("MaxPoolSize=7")]
    [InlineData("maximumpoolsize=7")]
    public void The_maximum_bounds_the_pool(string keyword) => Assert.Equal(7, Read(keyword).Pool.MaxSize);

    [Theory]
    [InlineData("Minimum Pool Size=3")]
    [InlineData("Min Pool Size=3")]
    [InlineData("MinPoolSize=3")]
    public void The_minimum_is_kept(string keyword) => Assert.Equal(3, Read(keyword).Pool.MinIdle);

    [Theory]
    [InlineData("Connection Lifetime=90", 90)]
    [InlineData("Load Balance Timeout=90", 90)]
    [InlineData("ConnectionLifeTime=90", 90)]
    [InlineData("Connection Lifetime=0", -1)]
    public void The_lifetime_is_in_seconds_and_zero_is_none(string keyword, int seconds) =>
        Assert.Equal(Seconds(seconds), Read(keyword).Pool.MaxLifetime);

    [Theory]
    [InlineData("Connection Idle Lifetime=45", 45)]
    [InlineData("Connection Idle Timeout=45", 45)]
    [InlineData("Connection Idle Lifetime=0", -1)]
    public void The_idle_time_is_in_seconds_and_zero_is_none(string keyword, int seconds) =>
        Assert.Equal(Seconds(seconds), Read(keyword).Pool.IdleTimeout);

    [Theory]
    [InlineData("Timeout=4", 4)]
    [InlineData("Connect Timeout=4", 4)]
    [InlineData("Connection Timeout=4", 4)]
    [InlineData("Timeout=0", -1)]
    public void The_timeout_bounds_the_wait_and_is_passed_to_the_provider(string keyword, int seconds)
    {
        Assert.Equal(Seconds(seconds), Read(keyword).Pool.RentTimeout);
        Assert.Contains(keyword, PoolKeywords.Of("Host=h;" + keyword).ProviderString, StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    [InlineData("Timeout=3", 3)]
    [InlineData("Timeout=3", null)]
    [InlineData("Connect Timeout=30", 30)]
    [InlineData("Timeout=0", -1)]
    public void A_timeout_in_the_string_may_equal_the_rent_timeout_set_in_code(string keyword, int? set)
    {
        var frozen = WithRentTimeout(set).Freeze();
        PoolKeywords.Of("Host=h;" + keyword).Apply(frozen);

        Assert.Equal(Seconds(set ?? 3), frozen.Freeze().Pool.RentTimeout);
    }

    [Theory]
    [InlineData("Timeout=3", 2, "timeout=3", "00:00:02")]
    [InlineData("Timeout=3", 30, "timeout=3", "00:00:30")]
    [InlineData("Connect Timeout=0", 2, "connect timeout=0", "00:00:02")]
    [InlineData("Connection Timeout=3", -1, "connection timeout=3", "-00:00:00.0010000")]
    public void A_rent_timeout_in_code_and_a_different_timeout_in_the_string_are_rejected_with_both_names(
        string keyword, int set, string shown, string time)
    {
        var ofSource = Assert.Throws<ArgumentException>(
            () => PooledDataSource.Create(NpgsqlFactory.Instance, "Host=h;" + keyword, WithRentTimeout(set)));
        var ofPool = Assert.Throws<ArgumentException>(
            () => new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, "Host=h;" + keyword, WithRentTimeout(set)));
        using var factory = new PooledProviderFactory(NpgsqlFactory.Instance, WithRentTimeout(set));
        using var connection = factory.CreateConnection();
        var ofConnection = Assert.Throws<ArgumentException>(() => connection.ConnectionString = "Host=h;" + keyword);

        Assert.All([ofSource, ofPool, ofConnection], refusal =>
        {
            Assert.Contains(shown, refusal.Message, StringComparison.OrdinalIgnoreCase);
            Assert.Contains($"RentTimeout is set to {time}", refusal.Message, StringComparison.Ordinal);
        });
    }

    [Theory]
    [InlineData("Multiplexing=true")]
    [InlineData("multiplexing=True;Pooling=true")]
    public void Multiplexing_is_rejected(string keyword)
    {
        var refusal =
            Assert.Throws<ArgumentException>(() => PooledDataSource.Create(NpgsqlFactory.Instance, "Host=h;" + keyword));
        Assert.Contains("multiplexing", refusal.Message, StringComparison.Ordinal);
        using var source = NpgsqlDataSource.Create("Host=h;Multiplexing=true");
        Assert.Contains(
            "multiplexing", Assert.Throws<ArgumentException>(() => PooledDataSource.Create(source)).Message,
            StringComparison.Ordinal);
        using var off = PooledDataSource.Create(NpgsqlFactory.Instance, "Host=h;Multiplexing=false");
    }

    [Theory]
    [InlineData("")]
    [InlineData("  ")]
    [InlineData("Maximum Pool Size=5")]
    public void A_string_without_a_server_is_rejected_and_names_the_keyword(string connectionString)
    {
        var refusal = Assert.Throws<ArgumentException>(() => PooledDataSource.Create(NpgsqlFactory.Instance, connectionString));

        Assert.Contains("connection string", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("Host", refusal.InnerException?.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Enlist=false", false)]
    [InlineData("Enlist=yes", true)]
    [InlineData("Auto Enlist=false", false)]
    [InlineData("AutoEnlist=true", true)]
    public void Enlist_is_handled_by_the_pool(string keyword, bool expected) => Assert.Equal(expected, Read(keyword).Enlist);

    [Fact]
    public async Task The_providers_own_pool_is_turned_off_by_the_keyword_of_its_profile()
    {
        using var db = new FakeDb();
        await using var source = PooledDataSource.Create(
            new FakeFactory(db), "Host=fake", new DbPoolOptions { Profile = new OtherKeyword() });
        await using var connection = await source.OpenConnectionAsync(TestContext.Current.CancellationToken);

        Assert.Equal("host=fake;poolingEnabled=False", db.Connections[0].ConnectionString);
    }

    [Theory]
    [InlineData("", true)]
    [InlineData(";AutoEnlist=false", false)]
    public void The_builder_of_MySqlConnector_gets_keywords_that_are_not_set(string keyword, bool expected)
    {
        var keywords = PoolKeywords.Of("Server=h" + keyword);
        var options = new DbPoolOptions();
        keywords.Apply(options);

        var factory = MySqlConnectorFactory.Instance;
        var builder = new MySqlConnectionStringBuilder(
            ProviderStrings.WithoutPool(factory, DbProviderProfile.Of(factory), keywords.ProviderString, options.Enlist));
        Assert.Equal((false, expected), (builder.Pooling, builder.AutoEnlist));
    }

    [Theory]
    [InlineData("Server=h")]
    [InlineData("Server=h;Uid=old;Pwd=old")]
    public void The_builder_of_MySqlConnector_gets_a_credential(string connectionString)
    {
        var builder = new MySqlConnectionStringBuilder(
            ProviderStrings.With(
                MySqlConnectorFactory.Instance, DbProviderProfile.Of(MySqlConnectorFactory.Instance), connectionString,
                new DbCredential("me", "secret")));

        Assert.Equal(("me", "secret"), (builder.UserID, builder.Password));
    }

    [Theory]
    [InlineData("Server=h")]
    [InlineData("Server=h;Pooling=true")]
    public void A_data_source_of_MySqlConnector_that_pools_is_rejected(string connectionString)
    {
        using var source = new MySqlDataSource(connectionString);

        var error = Assert.Throws<ArgumentException>(() => PooledDataSource.Create(source));
        Assert.StartsWith("The data source already pools its connections", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("No Reset On Close=true")]
    [InlineData("Connection Reset=false")]
    public void The_reset_can_be_turned_off(string keyword) => Assert.Same(SessionReset.None, Read(keyword).Reset);

    [Theory]
    [InlineData("Pooling=false", true)]
    [InlineData("POOLING=no", true)]
    [InlineData("Pooling=true", false)]
    [InlineData("Host=h", false)]
    public void Pooling_can_be_turned_off(string keyword, bool expected) =>
        Assert.Equal(expected, PoolKeywords.Of(keyword).OptsOut);

    [Fact]
    public void The_provider_receives_all_other_keywords()
    {
        var rest = PoolKeywords.Of(
            "Host=h;Max Pool Size=7;Password=a;MinPoolSize=2;Connection Lifetime=9;Application Name='x;y';Pooling=true").ProviderString;

        Assert.Equal("host=h;password=a;application name=\"x;y\"", rest, ignoreCase: true);
    }

    [Fact]
    public void Options_apply_where_the_string_sets_nothing()
    {
        var options =
            new DbPoolOptions { Pool = new ResourcePoolOptions { MaxSize = 5, IdleTimeout = TimeSpan.FromSeconds(77) } };
        PoolKeywords.Of("Host=h;Maximum Pool Size=9").Apply(options);

        Assert.Equal((9, TimeSpan.FromSeconds(77)), (options.Pool.MaxSize, options.Pool.IdleTimeout));
    }

    [Theory]
    [InlineData("Maximum Pool Size=0", "maximum pool size=0; allowed: 1 to 1,000,000")]
    [InlineData("Maximum Pool Size=many", "maximum pool size=many; allowed: 1 to 1,000,000")]
    [InlineData("Minimum Pool Size=-1", "minimum pool size=-1; allowed: 0 to 1,000,000")]
    [InlineData("Connection Lifetime=-1", "connection lifetime=-1; allowed: 0 to 4,294,967")]
    [InlineData("Enlist=perhaps", "enlist=perhaps; allowed: true or false")]
    [InlineData("Minimum Pool Size=9;Maximum Pool Size=3", "a minimum pool size of 9 and a maximum of 3")]
    public void A_value_out_of_range_is_named_with_its_range(string keywords, string expected)
    {
        var error = Assert.Throws<ArgumentException>(
            () => PooledDataSource.Create(NpgsqlFactory.Instance, "Host=h;Password=secret;" + keywords));

        Assert.Contains(expected, error.Message, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("secret", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void An_invalid_string_is_not_quoted()
    {
        var error = Assert.Throws<ArgumentException>(
            () => PooledDataSource.Create(NpgsqlFactory.Instance, "Host=h;Password=secret;=;;=x"));

        Assert.Contains("connectionString", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_data_source_with_its_own_pool_is_rejected()
    {
        using var pooling = NpgsqlDataSource.Create("Host=h");
        using var plain = NpgsqlDataSource.Create("Host=h;Pooling=false");

        Assert.Throws<ArgumentException>(() => PooledDataSource.Create(pooling));
        using var accepted = PooledDataSource.Create(plain);
        Assert.Equal(100, accepted.GetStatistics().MaxSize);
    }

    private static TimeSpan Seconds(int seconds) => seconds < 0 ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(seconds);

    private static DbPoolOptions WithRentTimeout(int? seconds)
    {
        var options = new DbPoolOptions();
        if (seconds is { } set)
        {
            options.Pool.RentTimeout = Seconds(set);
        }

        return options;
    }

    private static DbPoolOptions Read(string keywords)
    {
        var options = new DbPoolOptions();
        PoolKeywords.Of("Host=h;" + keywords).Apply(options);
        return options;
    }

    // As Snowflake's.
    private sealed class OtherKeyword : DbProviderProfile
    {
        public override string Name => "fake";

        public override string PoolingKeyword => "poolingEnabled";

        public override bool Recognizes(Type type) => false;
    }
}
