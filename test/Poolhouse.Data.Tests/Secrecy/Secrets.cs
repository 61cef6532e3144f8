#pragma warning disable MA0150 // These texts are tested to contain no secret.
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using Microsoft.Data.Sqlite;
using Npgsql;
using Poolhouse.Data.Providers;

namespace Poolhouse.Data.Tests.Secrecy;

/// <summary>A connection string with a password, passed to every API: no text of Poolhouse contains it (I27).</summary>
public sealed class Secrets : IDisposable
{
    private const string Secret = "Geheim-4711";

    // Nothing listens on port 1: each open fails, and the provider's exception travels through the pool.
    private const string Refused = $"Host=127.0.0.1;Port=1;Database=shop;Username=anna;Password={Secret}";

    private readonly Meter _meter = new("Secrets");
    private readonly MeterListener _metrics = new();
    private readonly ActivityListener _activities;
    private readonly NotingObserver _observer = new();
    private readonly ConcurrentQueue<string> _texts = new();

    public Secrets()
    {
        _metrics.InstrumentPublished = (instrument, listening) =>
        {
            if (instrument.Meter == _meter)
            {
                listening.EnableMeasurementEvents(instrument);
            }
        };
        _metrics.SetMeasurementEventCallback<long>((_, _, tags, _) => Note(tags));
        _metrics.SetMeasurementEventCallback<double>((_, _, tags, _) => Note(tags));
        _metrics.Start();
        _activities = new ActivityListener
        {
            ShouldListenTo = static source => source.Name.StartsWith("Poolhouse", StringComparison.Ordinal),
            Sample = static (ref _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity => _texts.Enqueue(
                $"{activity.DisplayName} {activity.StatusDescription} " +
                $"{string.Join(' ', activity.TagObjects.Select(tag => $"{tag.Key}={tag.Value}"))}"),
        };
        ActivitySource.AddActivityListener(_activities);
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("factory and string")]
    [InlineData("data source")]
    [InlineData("several data sources")]
    [InlineData("provider factory")]
    [InlineData("provider factory without pooling")]
    [InlineData("credentials")]
    public async Task A_pooled_data_source_never_shows_its_password(string api)
    {
        await using var inner = new NpgsqlDataSourceBuilder(Refused + ";Pooling=false;Persist Security Info=true").Build();
        using var factory = new PooledProviderFactory(NpgsqlFactory.Instance, Options());
        var withCredentials = Options();
        withCredentials.Credentials = static _ => new ValueTask<DbCredential>(new DbCredential("anna", Secret));
        await using var source = api switch
        {
            "factory and string" =>
                PooledDataSource.Create(NpgsqlFactory.Instance, Refused + ";Persist Security Info=true", Options()),
            "data source" => PooledDataSource.Create(inner, Options()),
            "several data sources" => PooledDataSource.Create([inner], options: Options()),
            "provider factory" => (PooledDataSource)factory.CreateDataSource(Refused),
            "credentials" => PooledDataSource.Create(NpgsqlFactory.Instance, Refused, withCredentials),
            _ => (PooledDataSource)factory.CreateDataSource(Refused + ";Pooling=false"),
        };

        await using var connection = source.CreateConnection();
        _texts.Enqueue($"{connection} {connection.DataSource} {connection.Database}");
        _texts.Enqueue($"{source} {source.Name} {source.GetStatistics()} {factory}");
        if (api is "provider factory" or "credentials")
        {
            // With Persist Security Info, the caller wants it to be in the connection string, and nowhere else.
            _texts.Enqueue($"{connection.ConnectionString} {source.ConnectionString}");
        }

        await FailAsync(() => connection.OpenAsync(Cancel));
        await FailAsync(() => Task.Run(connection.Open, Cancel));
        await FailAsync(() => source.OpenConnectionAsync(Cancel).AsTask());
        _texts.Enqueue(source.GetStatistics().ToString());
        Check();
    }

    [Theory]
    [InlineData("factory and string")]
    [InlineData("data source")]
    [InlineData("delegate")]
    public async Task A_connection_pool_never_shows_its_password(string api)
    {
        await using var inner = new NpgsqlDataSourceBuilder(Refused + ";Pooling=false;Persist Security Info=true").Build();
        await using var pool = api switch
        {
            "factory and string" => new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, Refused, Options()),
            "data source" => new DbConnectionPool<NpgsqlConnection>(inner, Options()),
            _ => DbConnectionPool.Create<NpgsqlConnection>(
                static () => new NpgsqlConnection(Refused + ";Pooling=false"), Options()),
        };

        _texts.Enqueue($"{pool} {pool.Name} {pool.GetStatistics()}");
        await FailAsync(() => pool.RentAsync(Cancel).AsTask());
        await FailAsync(() => pool.RentAsync(TimeSpan.Zero, Cancel).AsTask());
        await FailAsync(() => Task.Run(() => pool.Rent(Cancel), Cancel));
        Assert.False(pool.TryRent(out _));
        _texts.Enqueue(pool.GetStatistics().ToString());
        Check();
    }

    [Fact]
    public void The_text_of_settings_and_credentials_shows_no_values()
    {
        var options = Options();
        options.Credentials = static _ => new ValueTask<DbCredential>(new DbCredential("anna", Secret));
        _texts.Enqueue(
            $"{options} {options.Pool} {new DbCredential("anna", Secret)} " +
            $"{new DbCredential("anna", Secret) { Identity = Secret }}");
        Check();
    }

    [Fact]
    public async Task The_password_of_a_database_file_is_not_shown()
    {
        await using var source =
            PooledDataSource.Create(SqliteFactory.Instance, $"Data Source=:memory:;Password={Secret}", Options());
        await using var connection = source.CreateConnection();
        _texts.Enqueue($"{source.ConnectionString} {connection.ConnectionString} {source.Name}");
        await FailAsync(() => connection.OpenAsync(Cancel));
        Check();
    }

    [Theory]
    [InlineData($"Host=h;Password={Secret};No Such Keyword=1")]
    [InlineData($"Host=h;Password='{Secret}")]
    [InlineData($"Host=h;Password={Secret};=5")]
    [InlineData($"Host=h;Port=a b;Password={Secret}")]
    [InlineData($"Host=h;Maximum Pool Size=5 Password={Secret}")]
    [InlineData($"Host=h;Maximum Pool Size={Secret}Password={Secret}")]
    [InlineData($"Host=h;Pooling=true,Password={Secret}")]
    [InlineData($"Host=h;Connection Lifetime='9;Password={Secret}'")]
    [InlineData($"Host=h;Maximum Pool Size=2;Minimum Pool Size=3;Password={Secret}")]
    [InlineData($"Password={Secret};;;Host")]
    [InlineData(Secret)]
    public void A_rejected_string_is_not_repeated(string connectionString)
    {
        using var factory = new PooledProviderFactory(NpgsqlFactory.Instance);
        using var connection = factory.CreateConnection();
        Note(Assert.ThrowsAny<ArgumentException>(() => PooledDataSource.Create(NpgsqlFactory.Instance, connectionString)));
        Note(
            Assert.ThrowsAny<ArgumentException>(
                () => new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, connectionString)));
        Note(Assert.ThrowsAny<ArgumentException>(() => factory.CreateDataSource(connectionString)));
        Note(Assert.ThrowsAny<ArgumentException>(() => connection.ConnectionString = connectionString));
        Check();
    }

    [Fact]
    public void A_string_that_disables_pooling_is_rejected_without_repeating_it()
    {
        const string Unpooled = Refused + ";Pooling=false";
        Note(Assert.Throws<ArgumentException>(() => PooledDataSource.Create(NpgsqlFactory.Instance, Unpooled)));
        Note(Assert.Throws<ArgumentException>(() => new DbConnectionPool<NpgsqlConnection>(NpgsqlFactory.Instance, Unpooled)));
        Check();
    }

    // Keywords of Snowflake, ODBC drivers, MySQL, SQL Server and others, and what the next provider may invent (issue 17).
    [Theory]
    [InlineData("proxy password")]
    [InlineData("password2")]
    [InlineData("pwd3")]
    [InlineData("private_key")]
    [InlineData("private_key_pwd")]
    [InlineData("passcode")]
    [InlineData("new password")]
    [InlineData("ssl key password")]
    [InlineData("secret")]
    [InlineData("Client Secret Id")]
    [InlineData("apikey")]
    [InlineData("Access Token")]
    [InlineData("PassPhrase")]
    [InlineData("my pw")]
    public void A_keyword_named_like_a_secret_is_not_shown(string keyword)
    {
        var shown = ProviderStrings.WithoutPassword($"Host=h;Foreign Keys=True;{keyword}={Secret};Database=d");
        Assert.DoesNotContain(Secret, shown, StringComparison.Ordinal);
        Assert.Contains("Foreign Keys=True", shown, StringComparison.OrdinalIgnoreCase);
        Assert.Contains("Database=d", shown, StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    [InlineData($"Host=h Password={Secret};Port=1")]
    [InlineData($"Host=h;Database=d pwd={Secret}")]
    [InlineData($"Host=h;Application Name='a;Password={Secret}'")]
    public void A_missing_semicolon_does_not_show_the_password(string connectionString)
    {
        using var source = PooledDataSource.Create(NpgsqlFactory.Instance, connectionString, Options());
        _texts.Enqueue($"{source} {source.Name} {source.ConnectionString}");
        Check();
    }

    [Theory]
    [InlineData("Password")]
    [InlineData("PWD")]
    [InlineData("SslPassword")]
    [InlineData("Access Token")]
    [InlineData("CertificatePassword")]
    public void Every_spelling_of_a_secret_is_removed(string keyword) =>
        Assert.Equal("host=h", ProviderStrings.WithoutPassword($"Host=h;{keyword}={Secret}"), ignoreCase: true);

    [Fact]
    public void A_data_source_with_its_own_pool_is_rejected_without_showing_its_string()
    {
        using var inner = new NpgsqlDataSourceBuilder(Refused + ";Persist Security Info=true").Build();
        Note(Assert.Throws<ArgumentException>(() => PooledDataSource.Create(inner)));
        Note(Assert.Throws<ArgumentException>(() => new DbConnectionPool<NpgsqlConnection>(inner)));
        Check();
    }

    public void Dispose()
    {
        _activities.Dispose();
        _metrics.Dispose();
        _meter.Dispose();
    }

    private DbPoolOptions Options() => new()
    {
        Pool = new ResourcePoolOptions
        {
            MaxSize = 1,
            OutageTimeout = TimeSpan.Zero,
            RentTimeout = TimeSpan.FromSeconds(5),
            Meter = _meter,
            Observer = _observer,
        },
    };

    private async Task FailAsync(Func<Task> action)
    {
        var failure = await Record.ExceptionAsync(action);
        Assert.NotNull(failure);
        Note(failure);
    }

    // The provider's inner exceptions are out of scope; the thrown exception, and all of Poolhouse's types, are checked.
    private void Note(Exception exception)
    {
        for (var each = exception; each is not null; each = each.InnerException)
        {
            if (each == exception || each.GetType().Assembly.GetName().Name!.StartsWith("Poolhouse", StringComparison.Ordinal))
            {
                _texts.Enqueue($"{each.Message} {string.Join(' ', each.Data.Values.Cast<object>())}");
                _texts.Enqueue($"{(each as DbPoolException)?.PoolName} {(each as DbPoolException)?.Statistics}");
            }
        }
    }

    private void Note(ReadOnlySpan<KeyValuePair<string, object?>> tags) =>
        _texts.Enqueue(string.Join(' ', tags.ToArray().Select(tag => $"{tag.Key}={tag.Value}")));

    private void Check()
    {
        _metrics.RecordObservableInstruments();
        var texts = _texts.Concat(_observer.Texts).ToList();

        Assert.NotEmpty(texts);
        Assert.All(texts, static text => Assert.DoesNotContain(Secret, text, StringComparison.OrdinalIgnoreCase));
    }

    private sealed class NotingObserver : ResourcePoolObserver
    {
        public ConcurrentQueue<string> Texts { get; } = new();

        public override void OnCreated(in ItemCreatedArgs created) => Texts.Enqueue(created.ToString());

        public override void OnCreateFailed(in ItemCreateFailedArgs failed) => Texts.Enqueue(failed.ToString());

        public override void OnDestroyed(in ItemDestroyedArgs destroyed) => Texts.Enqueue(destroyed.ToString());

        public override void OnWaitEnded(in WaitEndedArgs ended) => Texts.Enqueue(ended.ToString());
    }
}
