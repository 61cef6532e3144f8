namespace Poolhouse.Tool.Bench.Databases;

/// <summary>The databases of one run, started once and removed at the end.</summary>
internal sealed class DatabaseSet : IDisposable
{
    private readonly List<Database> _databases = [];

    /// <summary>Product and version of each.</summary>
    public string Names => string.Join(", ", _databases.Select(database => database.Name));

    public Database this[DatabaseKind kind] => _databases.Find(database => database.Kind == kind)
        ?? throw new InvalidOperationException($"No {kind} database is open.");

    public void Add(Database database) => _databases.Add(database);

    public void Dispose()
    {
        _databases.ForEach(database => database.Dispose());
        _databases.Clear();
    }
}
