using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Reflection.Emit;

namespace Poolhouse.Caching.Misuse;

/// <summary>Reads fields by methods that are compiled for their type.</summary>
// Numbers are compared by their bits, each as a long; references by identity.
[RequiresDynamicCode("The methods are emitted.")]
internal sealed class CompiledFieldReader : FieldReader
{
    private readonly FieldInfo[] _numbers;
    private readonly FieldInfo[] _references;
    private readonly Action<object, long[], object?[]> _copy;
    private readonly Func<object, long[], object?[], bool> _isSame;

    public CompiledFieldReader(FieldInfo[] fields)
    {
        _numbers = [.. fields.Where(static field => field.FieldType.IsValueType)];
        _references = [.. fields.Where(static field => !field.FieldType.IsValueType)];
        _copy = EmitCopy();
        _isSame = EmitComparison();
    }

    public override object Copy(object item)
    {
        var copy = new Values(new long[_numbers.Length], new object?[_references.Length]);
        _copy(item, copy.Numbers, copy.References);
        return copy;
    }

    public override bool IsSame(object item, object copy) =>
        copy is Values values && _isSame(item, values.Numbers, values.References);

    private Action<object, long[], object?[]> EmitCopy()
    {
        var (method, code) = Begin("Copy", typeof(void));
        for (var index = 0; index < _numbers.Length; index++)
        {
            code.Emit(OpCodes.Ldarg_1);
            code.Emit(OpCodes.Ldc_I4, index);
            EmitNumber(code, _numbers[index]);
            code.Emit(OpCodes.Stelem_I8);
        }

        for (var index = 0; index < _references.Length; index++)
        {
            code.Emit(OpCodes.Ldarg_2);
            code.Emit(OpCodes.Ldc_I4, index);
            EmitReference(code, _references[index]);
            code.Emit(OpCodes.Stelem_Ref);
        }

        code.Emit(OpCodes.Ret);
        return method.CreateDelegate<Action<object, long[], object?[]>>();
    }

    private Func<object, long[], object?[], bool> EmitComparison()
    {
        var (method, code) = Begin("IsSame", typeof(bool));
        var differs = code.DefineLabel();
        for (var index = 0; index < _numbers.Length; index++)
        {
            code.Emit(OpCodes.Ldarg_1);
            code.Emit(OpCodes.Ldc_I4, index);
            code.Emit(OpCodes.Ldelem_I8);
            EmitNumber(code, _numbers[index]);
            code.Emit(OpCodes.Bne_Un, differs);
        }

        for (var index = 0; index < _references.Length; index++)
        {
            code.Emit(OpCodes.Ldarg_2);
            code.Emit(OpCodes.Ldc_I4, index);
            code.Emit(OpCodes.Ldelem_Ref);
            EmitReference(code, _references[index]);
            code.Emit(OpCodes.Bne_Un, differs);
        }

        code.Emit(OpCodes.Ldc_I4_1);
        code.Emit(OpCodes.Ret);
        code.MarkLabel(differs);
        code.Emit(OpCodes.Ldc_I4_0);
        code.Emit(OpCodes.Ret);
        return method.CreateDelegate<Func<object, long[], object?[], bool>>();
    }

    // Private fields of any type may be read. The parameters are the item, the numbers and the references.
    private static (DynamicMethod Method, ILGenerator Code) Begin(string name, Type result)
    {
        var method = new DynamicMethod(
            name, result, [typeof(object), typeof(long[]), typeof(object[])], typeof(CompiledFieldReader).Module,
            skipVisibility: true);
        return (method, method.GetILGenerator());
    }

    private static void EmitNumber(ILGenerator code, FieldInfo field)
    {
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Ldflda, field);
        code.Emit(SizeOf(field.FieldType) switch
        {
            1 => OpCodes.Ldind_U1,
            2 => OpCodes.Ldind_U2,
            4 => OpCodes.Ldind_U4,
            _ => OpCodes.Ldind_I8,
        });
        code.Emit(OpCodes.Conv_U8);
    }

    private static void EmitReference(ILGenerator code, FieldInfo field)
    {
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Ldfld, field);
    }

    private static int SizeOf(Type type) => Type.GetTypeCode(type) switch
    {
        TypeCode.Boolean or TypeCode.SByte or TypeCode.Byte => 1,
        TypeCode.Char or TypeCode.Int16 or TypeCode.UInt16 => 2,
        TypeCode.Int32 or TypeCode.UInt32 or TypeCode.Single => 4,
        TypeCode.Int64 or TypeCode.UInt64 or TypeCode.Double => 8,
        _ => nint.Size, // nint and nuint, which have no code of their own.
    };

    private sealed record Values(long[] Numbers, object?[] References);
}
