using System.Data.Common;

#pragma warning disable IDE0130, CA1812, MA0182 // Profiles recognize exceptions by their namespace; created by tests only.
namespace Microsoft.Data.SqlClient
{
    internal sealed class NumberedException(int number) : DbException("It failed.")
    {
        public int Number { get; } = number;
    }
}

namespace Oracle.ManagedDataAccess.Client
{
    internal sealed class NumberedException(int number) : DbException("It failed.")
    {
        public int Number { get; } = number;
    }
}
