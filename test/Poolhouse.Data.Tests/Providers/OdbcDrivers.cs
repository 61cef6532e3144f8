namespace Poolhouse.Data.Tests.Providers;

/// <summary>The drivers that unixODBC knows.</summary>
internal static class OdbcDrivers
{
    public static void SkipWithout(string driver) => Assert.SkipUnless(
        File.Exists("/etc/odbcinst.ini")
        && File.ReadLines("/etc/odbcinst.ini").Contains($"[{driver}]", StringComparer.OrdinalIgnoreCase),
        $"the ODBC driver {driver} is not installed (/etc/odbcinst.ini)");
}
