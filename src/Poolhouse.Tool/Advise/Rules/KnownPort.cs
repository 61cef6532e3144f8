namespace Poolhouse.Tool.Advise.Rules;

/// <summary>What listens on a port, and how its connections are pooled.</summary>
internal sealed record KnownPort(string Service, string Advice, string Code, string Page)
{
    private const string Databases = "guides/databases.md";

    private static readonly KnownPort _postgres = Database("PostgreSQL", "NpgsqlFactory");
    private static readonly KnownPort _mySql = Database("MySQL", "MySqlConnectorFactory");
    private static readonly KnownPort _sqlServer = Database("SQL Server", "SqlClientFactory");

    private static readonly KnownPort _directory = new(
        "LDAP", "Pool its connections",
        "var options = LdapPoolOptions.Parse(connectionString);\n" +
        "await using var pool = new LdapConnectionPool(options);\n" +
        "var response = await pool.SendAsync<SearchResponse>(request);",
        "guides/ldap.md");

    private static readonly KnownPort _mail = Resource("SMTP", "SmtpClient");
    private static readonly KnownPort _shell = Resource("SSH", "SftpClient");

    private static readonly KnownPort _redis = new(
        "Redis", "Keep one connection and share it",
        "// for all callers at once:\n" +
        "static readonly ConnectionMultiplexer Redis =\n    ConnectionMultiplexer.Connect(…);\n" +
        "// if one is too slow: a SharedResourcePool over several", "guides/shared.md");

    private static readonly KnownPort _rabbit = new(
        "AMQP", "Keep the connection and pool its channels",
        "await using var pool = new NestedResourcePool<IConnection, IChannel>(\n" +
        "    connections, channels, options);\n" +
        "using var channel = await pool.RentAsync();", "guides/nested.md");

    private static readonly Dictionary<int, KnownPort> _ports = new()
    {
        [5432] = _postgres,
        [6432] = _postgres,
        [3306] = _mySql,
        [1433] = _sqlServer,
        [1521] = Database("Oracle", "OracleClientFactory"),
        [3050] = Database("Firebird", "FirebirdClientFactory"),
        [389] = _directory,
        [636] = _directory,
        [3268] = _directory,
        [3269] = _directory,
        [25] = _mail,
        [465] = _mail,
        [587] = _mail,
        [2525] = _mail,
        [6379] = _redis,
        [6380] = _redis,
        [5672] = _rabbit,
        [5671] = _rabbit,
        [22] = _shell,
    };

    public static KnownPort? Of(int port) => _ports.GetValueOrDefault(port);

    /// <summary>What is pooled as any other resource.</summary>
    public static KnownPort Resource(string service, string type) => new(
        service, "Pool its connections",
        "var options = new ResourcePoolOptions { MaxSize = 8 };\n" +
        "await using var pool = ResourcePool.Create(ConnectAsync, options);\n" +
        $"await using var lease = await pool.RentAsync();\n// lease.Value is the {type}", "guides/resources.md");

    private static KnownPort Database(string service, string factory) => new(
        service, "Pool its connections",
        "// one for the whole app:\n" +
        $"var source = PooledDataSource.Create(\n    {factory}.Instance, connectionString);\n" +
        "await using var connection = await source.OpenConnectionAsync();\n" +
        "// or remove Pooling=false from the connection string,\n" +
        "// and what makes each string different", Databases);
}
