namespace Poolhouse.Tool.Bench.Ldap.InProcess;

/// <summary>The last operations of a server.</summary>
internal sealed class LdapOperationLog(int capacity)
{
    private readonly Lock _gate = new();
    private readonly Queue<LdapTestOperation> _operations = new();
    private long _count;

    public long Count => Interlocked.Read(ref _count);

    public LdapTestOperation Add(LdapTestOperation operation)
    {
        lock (_gate)
        {
            _count++;
            _operations.Enqueue(operation);
            if (_operations.Count > capacity)
            {
                _operations.Dequeue();
            }
        }

        return operation;
    }

    public IReadOnlyList<LdapTestOperation> ToList()
    {
        lock (_gate)
        {
            return [.. _operations];
        }
    }

    public void Clear()
    {
        lock (_gate)
        {
            _operations.Clear();
        }
    }
}
