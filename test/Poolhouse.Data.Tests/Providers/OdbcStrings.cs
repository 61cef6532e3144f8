using System.Data.Odbc;
using Poolhouse.Data.Providers;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>Connection strings of ODBC keep its quoting: braces, and no quotation marks.</summary>
public sealed class OdbcStrings
{
    [Theory]
    [InlineData("Driver={PostgreSQL Unicode};Server=h;Pwd={a;b}")]
    [InlineData("Driver={PostgreSQL Unicode};Server=h;Pwd={a}}b=c}")]
    [InlineData("Dsn=cups;Pwd=it's \"quoted\"")]
    public void A_string_reaches_the_driver_as_it_was(string connectionString)
    {
        using var source = PooledDataSource.Create(OdbcFactory.Instance, connectionString + ";Pwd2=x;Max Pool Size=3");

        using var sample = source.Traits.Sample;
        Assert.Equal(connectionString + ";Pwd2=x", sample.ConnectionString, ignoreCase: true);
        Assert.Equal(3, source.GetStatistics().MaxSize);
        Assert.DoesNotContain("Pwd", source.ConnectionString, StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    [InlineData("Driver={SQLite3};Database=d", "a;b}c", "Driver={SQLite3};Database=d;Uid={me};Pwd={a;b}}c}")]
    [InlineData("Driver={SQLite3};Password=old", "{new}", "Driver={SQLite3};Password={{new}}};Uid={me}")]
    public void A_credential_is_quoted(string connectionString, string password, string expected) => Assert.Equal(
        expected,
        ProviderStrings.With(
            OdbcFactory.Instance, DbProviderProfile.Of(OdbcFactory.Instance), connectionString, new DbCredential("me", password)),
        ignoreCase: true);
}
